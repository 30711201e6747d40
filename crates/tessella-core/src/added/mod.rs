//! Stage 0b: special and user tokens, cut out before and after normalisation.
