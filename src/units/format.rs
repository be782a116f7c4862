//! The one door for numbers: every figure a person sees passes here.
