"""Token files for a training loop: in an order drawn from a seed, shared among ranks, and resumable anywhere.

The order of an epoch is a permutation that is computed and not stored, so that a corpus of any size needs no
memory for it. Item ``k`` of the epoch goes to rank ``k mod world``. The state of a stream is how many items
all ranks together have taken: a training may be stopped and go on with another number of ranks or workers,
and every item still comes once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import index
from typing import Any, Generic, TypeVar

from .._given import whole
from .._optional import needed
from ..errors import ArgumentError

T = TypeVar("T")
#: Rounds of the network that shuffles; four suffice for a bijection that looks random, more cost little.
ROUNDS = 6
_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class Permutation:
    """The numbers below ``size`` in an order drawn from seed and epoch, each computed when it is asked for.

    A Feistel network over the smallest square that holds them; what falls outside is sent through it again.

    Args:
        size: how many numbers there are.
        seed: what the order is drawn from.
        epoch: another order for each.

    Example:
        >>> order = Permutation(5, seed=1)
        >>> sorted(order[place] for place in range(5))
        [0, 1, 2, 3, 4]
    """

    def __init__(self, size: int, seed: int, epoch: int = 0) -> None:
        # As plain numbers: those of NumPy have 64 bits, and the keys fill them.
        size, seed, epoch = whole("size", size, 0), whole("seed", seed), whole("epoch", epoch)
        self.size = size
        self._bits = max(1, ((max(1, size - 1)).bit_length() + 1) // 2)
        self._keys = [
            _mixed(_mixed(seed & _MASK) ^ _mixed(epoch + 1) ^ (turn * _GOLDEN)) for turn in range(ROUNDS)
        ]

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, place: int) -> int:
        place = index(place)
        if not 0 <= place < self.size:
            raise IndexError(f"place {place} of {self.size}")
        while True:
            place = self._through(place)
            if place < self.size:
                return place

    def _through(self, place: int) -> int:
        mask = (1 << self._bits) - 1
        left, right = place >> self._bits, place & mask
        for key in self._keys:
            left, right = right, left ^ (_mixed(right ^ key) & mask)
        return left << self._bits | right


def _mixed(value: int) -> int:
    """SplitMix64's finisher: every bit of the result depends on every bit of the value."""
    value = (value + _GOLDEN) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


class Stream(Generic[T]):
    """The items of a view, epoch after epoch, for one rank.

    Args:
        items: documents or windows of a corpus, or any sequence.
        seed: the seed of the order; ``None`` for the order in which they are.
        rank: which of the processes that train this is.
        world: how many there are.
        epochs: how many epochs there are, ``None`` without end.
        epoch: the number of the first one; each has an order of its own.

    Example:
        >>> stream = Stream(["a", "b", "c"], epochs=1)
        >>> next(stream)
        'a'
        >>> state = stream.state_dict()
        >>> other = Stream(["a", "b", "c"], epochs=1)
        >>> other.load_state_dict(state)
        >>> list(other)
        ['b', 'c']
    """

    def __init__(
        self,
        items: Sequence[T],
        seed: int | None = None,
        rank: int = 0,
        world: int = 1,
        epochs: int | None = None,
        epoch: int = 0,
    ) -> None:
        rank, world = whole("rank", rank), whole("world", world)
        if not 0 <= rank < world:
            raise ArgumentError(f"`rank` must be from 0 to `world` - 1, found {rank} of {world}")
        self.items, self.rank, self.world = items, rank, world
        self.epochs = None if epochs is None else whole("epochs", epochs, 0)
        self.seed = None if seed is None else whole("seed", seed)
        self.epoch = _not_negative("epoch", epoch)
        #: Items that all ranks together have taken: a multiple of their number.
        self._taken = 0
        self._order: tuple[int, Permutation | None] = (-1, None)

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        number = self._number()
        if number is None:
            raise StopIteration
        self._taken += self.world
        return self.items[number]

    def _number(self) -> int | None:
        """The number of the next item of this rank, ``None`` at the end."""
        size = len(self.items)
        place = self._taken + self.rank
        if not size or (self.epochs is not None and place >= size * self.epochs):
            return None
        epoch, inner = divmod(place, size)
        if self.seed is None:
            return inner
        epoch += self.epoch
        if self._order[0] != epoch:
            self._order = (epoch, Permutation(size, self.seed, epoch))
        order = self._order[1]
        assert order is not None
        return order[inner]

    def skip(self, count: int) -> None:
        """Leaves so many items of this rank out, as the other ranks must do with theirs."""
        self._taken += _not_negative("count", count) * self.world

    def state_dict(self) -> dict[str, Any]:
        """Where the stream is, as plain data. It is that of all ranks, if all have taken as many items."""
        return {"taken": self._taken, "size": len(self.items), "seed": self.seed, "epoch": self.epoch}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on where a state was taken, also with another number of ranks.

        Args:
            state: what ``state_dict`` gave, of a stream over the same items with the same seed.
        """
        missing = [name for name in ("taken", "size", "seed") if name not in state]
        if missing:
            raise ArgumentError(f"the state has no {missing[0]!r}: it is none of `state_dict` of a stream")
        for name, now in (("size", len(self.items)), ("seed", self.seed)):
            if state[name] != now:
                raise ArgumentError(
                    f"the state is of a stream with {name} {state[name]}, this one has {now}: items would "
                    "come twice or not at all"
                )
        self._taken = _not_negative("taken", state["taken"])
        self.epoch = _not_negative("epoch", state.get("epoch", 0))


def _not_negative(name: str, value: Any) -> int:
    if (number := whole(name, value)) < 0:
        raise ArgumentError(f"`{name}` must be 0 or more, found {number}")
    return number


class TorchRows:
    """Documents or windows by number, as a ``torch.utils.data.DataLoader`` takes them: rows of ``input_ids``.

    Args:
        items: documents or windows of a corpus.
        mask: give ``loss_mask`` as well.
    """

    def __init__(self, items: Sequence[object], *, mask: bool = False) -> None:
        self._items, self._mask = items, mask

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, number: int) -> dict[str, Any]:
        """A row of 64-bit tensors."""
        return _row(self._items, number, self._mask)


def _row(items: Any, number: int, mask: bool) -> dict[str, Any]:
    """One item as tensors. Ids are copied: files are mapped, and tensors may be written to."""
    import numpy as np

    torch = needed("torch", "torch", "reading rows as tensors")
    row = {"input_ids": torch.from_numpy(np.array(items[number], np.int64))}
    if mask:
        row["loss_mask"] = torch.from_numpy(np.array(items.mask(number), np.int64))
    return row


class _Numbered(Sequence[int]):
    """The numbers of items instead of them."""

    def __init__(self, items: Sequence[Any]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    # `Any`: one number, which is the item.
    def __getitem__(self, number: Any) -> Any:
        return number


class TorchStream:
    """A stream of rows for ``torch.utils.data.DataLoader``, with any number of loader workers.

    It is iterable, tells torch so, and has ``state_dict`` and ``load_state_dict``, which a stateful loader,
    ``StatefulDataLoader`` of ``torchdata``, keeps for each worker. Loader workers share the items of their
    rank: worker ``w`` of ``n`` takes every n-th.

    Each walk begins anew, in the same order unless ``set_epoch`` names another epoch before. With loader
    workers the state is theirs: what ``state_dict`` tells in the process that has the loader does not move,
    so ask the stateful loader for it.

    Args:
        items: documents or windows of a corpus.
        seed: the seed of the order; ``None`` for the order in which they are.
        rank: which of the processes that train this is.
        world: how many there are.
        epochs: how many epochs there are, ``None`` without end.
        mask: give ``loss_mask`` as well.
    """

    def __new__(cls, *given: Any, **named: Any) -> Any:
        """An instance that is also a ``torch.utils.data.IterableDataset``."""
        torch = needed("torch.utils.data", "torch", "TorchStream")
        del given, named
        # A class of its own, since torch must not be needed to import this module.
        made = type("TorchStream", (cls, torch.IterableDataset), {"__module__": __name__})
        return object.__new__(made)

    def __init__(
        self,
        items: Sequence[object],
        seed: int | None = None,
        rank: int = 0,
        world: int = 1,
        epochs: int | None = 1,
        *,
        mask: bool = False,
    ) -> None:
        self._items, self._mask = items, mask
        # Looked at now: a loader's workers would tell of it later.
        Stream(_Numbered(items), seed, rank, world, epochs)
        self._how = (seed, rank, world, epochs)
        self._epoch = 0
        self._state: dict[str, Any] | None = None
        self._stream: Stream[int] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return (_remade, (self._items, self._how, self._mask, self._epoch, self._state))

    def set_epoch(self, epoch: int) -> None:
        """The next walk begins with this epoch, or goes on in it where a state of it was loaded.

        Loader workers that outlive a walk (``persistent_workers``) are not told.

        Args:
            epoch: its number, from 0.
        """
        self._epoch = _not_negative("epoch", epoch)
        if self._state is not None and self._state.get("epoch", 0) != epoch:
            self._state = None

    def _made(self) -> Stream[int]:
        info = needed("torch.utils.data", "torch", "TorchStream").get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        seed, rank, world, epochs = self._how
        numbers = _Numbered(self._items)
        return Stream(numbers, seed, rank + world * worker, world * workers, epochs, self._epoch)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        # Made now and not when the first row is asked for: a state may be asked for before.
        self._stream = stream = self._made()
        if self._state is not None:
            stream.load_state_dict(self._state)
            self._state = None
        return (_row(self._items, number, self._mask) for number in stream)

    def state_dict(self) -> dict[str, Any]:
        """Where the stream is; in a loader's worker, where that worker is."""
        if self._state is not None:
            return self._state
        return (self._made() if self._stream is None else self._stream).state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """The next walk goes on there.

        Args:
            state: what ``state_dict`` gave, of a stream over the same items with the same seed.
        """
        self._made().load_state_dict(state)
        self._state = dict(state)


def _remade(items: Any, how: tuple[Any, ...], mask: bool, epoch: int, state: dict[str, Any] | None) -> Any:
    """A stream that was sent to another process."""
    made = TorchStream(items, *how, mask=mask)
    made.set_epoch(epoch)
    if state is not None:
        made.load_state_dict(state)
    return made
