//! Components that can be changed while a tokenizer uses them.
//!
//! The engine's tokenizer is immutable. A component that Python holds is a *node*: a shared cell with a
//! description, or with further nodes when it is a sequence. Every change stamps the node with a number of a
//! clock that only moves forward, so that a tokenizer can tell with one load whether anything changed at all,
//! and with one walk whether one of its own parts did.
//!
//! A node keeps what was built of it last ([`Live`]): by a tokenizer that uses it, or for whoever asked it for something. So a
//! component is built once, however often it is looked at through its tokenizer.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use tessella_core::spec::Described;

/// The clock of changes, process wide.
static CLOCK: AtomicU64 = AtomicU64::new(1);

/// The time of the latest change to any component.
pub fn now() -> u64 {
    CLOCK.load(Ordering::Acquire)
}

/// Stamps a change. Who sees the clock's new time sees the stamp too, so one writer at a time.
fn stamp(changed: &AtomicU64) {
    static WRITER: Mutex<()> = Mutex::new(());
    let _alone = lock(&WRITER);
    let time = CLOCK.load(Ordering::Acquire) + 1;
    changed.store(time, Ordering::Release);
    CLOCK.store(time, Ordering::Release);
}

/// Held while components are put into one another, so that what was checked is still so when it is done.
static NESTING: Mutex<()> = Mutex::new(());

/// A poisoned lock still guards a whole value here: every write below is one assignment.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

enum State<S: Live> {
    One(S),
    Many(Vec<Node<S>>),
}

/// A description of which something is built that runs.
pub trait Live: Described {
    type Built;

    fn build(&self) -> tessella_core::Result<Self::Built>;
}

struct Cell<S: Live> {
    state: RwLock<State<S>>,
    changed: AtomicU64,
    /// Sequences around this node, at the deepest place where it ever stood. With it, a change deep inside is
    /// refused when it would make the whole too deep.
    level: AtomicUsize,
    /// What was built last, and of the description of which time.
    built: Mutex<Option<(u64, Arc<S::Built>)>>,
}

/// Why a component cannot be put into a sequence.
#[derive(Debug, PartialEq, Eq)]
pub enum Misfit {
    Cycle,
    TooDeep,
    NoSuchPart,
}

/// A shared component.
pub struct Node<S: Live>(Arc<Cell<S>>);

impl<S: Live> Clone for Node<S> {
    fn clone(&self) -> Self {
        Node(self.0.clone())
    }
}

/// Deepest nesting of sequences that is accepted; real files have two levels.
pub const MAX_DEPTH: usize = 64;

impl<S: Live> Node<S> {
    pub fn new(spec: S) -> Self {
        let state = match spec.parts() {
            Ok(parts) => State::Many(parts.into_iter().map(Node::new).collect()),
            Err(spec) => State::One(spec),
        };
        Self::with(state)
    }

    pub fn sequence(nodes: Vec<Node<S>>) -> Result<Self, Misfit> {
        let _alone = lock(&NESTING);
        if nodes.iter().any(|node| 1 + node.depth() > MAX_DEPTH) {
            return Err(Misfit::TooDeep);
        }
        nodes.iter().for_each(|node| node.sink(1));
        Ok(Self::with(State::Many(nodes)))
    }

    fn with(state: State<S>) -> Self {
        let (changed, level) = (AtomicU64::new(now()), AtomicUsize::new(0));
        Node(Arc::new(Cell { state: RwLock::new(state), changed, level, built: Mutex::new(None) }))
    }

    /// Notes that this node stands at least `level` deep.
    fn sink(&self, level: usize) {
        if self.0.level.fetch_max(level, Ordering::AcqRel) < level {
            self.children().iter().for_each(|child| child.sink(level + 1));
        }
    }

    fn read<R>(&self, f: impl FnOnce(&State<S>) -> R) -> R {
        f(&self.0.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<R>(&self, f: impl FnOnce(&mut State<S>) -> R) -> R {
        let result = f(&mut self.0.state.write().unwrap_or_else(PoisonError::into_inner));
        stamp(&self.0.changed);
        result
    }

    /// The description as of now.
    pub fn spec(&self) -> S {
        // Children are read after the parent's lock is released: no two locks are held at once.
        match self.read(|state| match state {
            State::One(spec) => Ok(spec.clone()),
            State::Many(nodes) => Err(nodes.clone()),
        }) {
            Ok(spec) => spec,
            Err(nodes) => S::sequence(nodes.iter().map(Node::spec).collect()),
        }
    }

    /// When this node or anything below it changed last.
    pub fn changed(&self) -> u64 {
        let own = self.0.changed.load(Ordering::Acquire);
        self.children().iter().map(Node::changed).fold(own, u64::max)
    }

    /// What runs the component as it is now: what was built before, if it did not change since.
    pub fn built(&self) -> tessella_core::Result<Arc<S::Built>> {
        // The time is read first: a change in between is noticed the next time.
        let changed = self.changed();
        if let Some((at, built)) = &*lock(&self.0.built)
            && *at == changed
        {
            return Ok(built.clone());
        }
        let built = Arc::new(self.spec().build()?);
        self.keep(changed, built.clone());
        Ok(built)
    }

    /// Keeps what was built of the description of this time.
    pub fn keep(&self, changed: u64, built: Arc<S::Built>) {
        // What was kept goes when the lock is free: a component written in Python may go with it, and what is done then is its own.
        let _before = lock(&self.0.built).replace((changed, built));
    }

    pub fn children(&self) -> Vec<Node<S>> {
        self.read(|state| match state {
            State::One(_) => Vec::new(),
            State::Many(nodes) => nodes.clone(),
        })
    }

    /// Looks at a single component; `None` for a sequence.
    pub fn peek<R>(&self, look: impl FnOnce(&S) -> R) -> Option<R> {
        self.read(|state| match state {
            State::One(spec) => Some(look(spec)),
            State::Many(_) => None,
        })
    }

    /// Changes a single component; `None` for a sequence.
    pub fn edit<R>(&self, change: impl FnOnce(&mut S) -> R) -> Option<R> {
        self.write(|state| match state {
            State::One(spec) => Some(change(spec)),
            State::Many(_) => None,
        })
    }

    /// Replaces a child, or changes nothing.
    pub fn replace_child(&self, index: usize, child: Node<S>) -> Result<(), Misfit> {
        let alone = lock(&NESTING);
        if child.contains(self) {
            return Err(Misfit::Cycle);
        }
        let level = self.0.level.load(Ordering::Acquire) + 1;
        if level + child.depth() > MAX_DEPTH {
            return Err(Misfit::TooDeep);
        }
        child.sink(level);
        // As in `keep`, the old one goes when the lock is free.
        let before = self.write(|state| match state {
            State::Many(nodes) => nodes.get_mut(index).map(|place| std::mem::replace(place, child)),
            State::One(_) => None,
        });
        drop(alone);
        before.map(drop).ok_or(Misfit::NoSuchPart)
    }

    /// Whether `other` is this node or below it.
    fn contains(&self, other: &Node<S>) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.children().iter().any(|child| child.contains(other))
    }

    /// Levels of nesting.
    fn depth(&self) -> usize {
        1 + self.children().iter().map(Node::depth).max().unwrap_or(0)
    }
}
