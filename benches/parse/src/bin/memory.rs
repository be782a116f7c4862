//! The memory that reading takes beyond the text. A program of its own: counting slows whoever allocates much.

#[path = "../inputs.rs"]
mod inputs;

use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

fn main() {
    for (name, text) in inputs::inputs() {
        let before = ALLOCATOR.current_usage();
        ALLOCATOR.reset_peak_usage();
        let exposition = decodescope::paste::prometheus::read(&text);
        let most = (ALLOCATOR.peak_usage() - before) as f64 / text.len() as f64;
        println!("{name}: at most {most:.2} of the text's size beyond it, for {} samples", exposition.samples().len());
    }
}
