//! Unicode tables, pinned per source of truth, each with the recipe that generates it.
