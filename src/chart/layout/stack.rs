use super::Specification;
use crate::chart::Stack;
use crate::chart::scene::Scene;
use crate::chart::table::Table;
use crate::chart::theme::Theme;

impl Specification for Stack {
    fn title(&self) -> &str {
        &self.title
    }
    fn summary(&self) -> String {
        self.sentence()
    }
    fn table(&self) -> Table {
        self.rows()
    }
    fn is_empty(&self) -> bool {
        true
    }
    fn preferred_height(&self, _width: f64) -> f64 {
        200.0
    }
    fn arrange(&self, _theme: &Theme, _scene: &mut Scene) {}
}
