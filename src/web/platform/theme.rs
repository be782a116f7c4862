//! Light or dark: what the system prefers, unless the person chose.

use super::listen::listen;
use super::storage;
use leptos::prelude::*;

/// Where the choice is stored. `src/boot.js` reads it before the first paint.
const KEY: &str = "decodescope.theme";

/// How the page looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// Its name in storage and in the attribute `data-theme`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Light, Self::Dark].into_iter().find(|theme| theme.name() == name)
    }
}

/// The theme, and the choice behind it.
#[derive(Clone, Copy)]
pub struct ThemeControl {
    choice: RwSignal<Option<Theme>>,
    system: ReadSignal<Theme>,
}

/// The theme as stored and as the system prefers. Create one, at the root.
pub fn use_theme() -> ThemeControl {
    let query = window().match_media("(prefers-color-scheme: dark)").ok().flatten();
    let dark = |matches| if matches { Theme::Dark } else { Theme::Light };
    let (system, set_system) = signal(dark(query.as_ref().is_some_and(|query| query.matches())));
    if let Some(query) = query {
        let watched = query.clone();
        listen(&query, "change", move |_| {
            set_system.try_set(dark(watched.matches()));
        });
    }
    let choice = RwSignal::new(storage::read(KEY).and_then(|name| Theme::named(&name)));
    ThemeControl { choice, system }
}

impl ThemeControl {
    /// How the page looks now. Tracks.
    pub fn theme(self) -> Theme {
        self.choice.get().unwrap_or_else(|| self.system.get())
    }

    /// What the person chose; `None` follows the system. Tracks.
    pub fn choice(self) -> Option<Theme> {
        self.choice.get()
    }

    /// Choose, or follow the system again with `None`. Remembered where the browser allows.
    pub fn choose(self, choice: Option<Theme>) {
        self.choice.try_set(choice);
        // Failing to remember the choice costs no more than the next visit's theme.
        match choice {
            Some(theme) => drop(storage::write(KEY, theme.name())),
            None => storage::remove(KEY),
        }
        let Some(root) = document().document_element() else { return };
        // Fails only for attribute names that are none.
        let _ = match choice {
            Some(theme) => root.set_attribute("data-theme", theme.name()),
            None => root.remove_attribute("data-theme"),
        };
    }
}
