"""From conditions to SQON: which conditions hold in one and the same element of a nested list.

Conditions that are joined by ``&`` and lie in one list mean one element of it, as in the portal, because that is what
facets count. In SQON they stand in a bound group, an `and` with a pivot. A negation speaks of all elements of a record,
so it is not bound, unless it is in :func:`cantata.element`. Neither is what :func:`cantata.apart` holds, nor a filter
that was written as JSON.
"""

from __future__ import annotations

from functools import reduce
from typing import List, Optional, Sequence

from cantata.conditions import And, Apart, Condition, Element, Leaf, Not, Or, Raw, Sqon, WrittenFilter


def translate(condition: Condition, nested: Sequence[str]) -> Sqon:
    """Returns the filter of a condition, where these paths are nested lists."""
    return _Lists(nested).translated(condition)


def for_counts(filter: Sqon, nested: Sequence[str]) -> Sqon:
    """Returns the same filter for facets, so that the number beside a value is the total with that value.

    By itself the server counts all conditions of a list in one element, but not those of two lists within it. So a
    condition is put into a bound group for each list around it.
    """
    lists = _Lists(nested)
    return {"op": "and", "content": lists.explicit([filter], None)}


class _Lists:
    """The nested lists of a catalogue."""

    def __init__(self, nested: Sequence[str]) -> None:
        self._nested = sorted(nested, key=len)

    def translated(self, condition: Condition) -> Sqon:
        if isinstance(condition, Leaf):
            return {"op": condition.op, "content": condition.content}
        if isinstance(condition, Raw):
            return condition.filter
        if isinstance(condition, Not):
            return {"op": "not", "content": [self.translated(condition.part)]}
        if isinstance(condition, Or):
            return {"op": "or", "content": [self.translated(part) for part in condition.parts]}
        if isinstance(condition, Element):
            return _bound(condition.path, self._joint(condition.parts, condition.path))
        if isinstance(condition, Apart):
            # What is in an `or` selects records, so facets do not look for one element that meets all parts.
            parts = [{"op": "or", "content": [self.translated(part)]} for part in condition.parts]
            return WrittenFilter({"op": "and", "content": parts})
        assert isinstance(condition, And)
        content = self._joint(condition.parts, None)
        return content[0] if len(content) == 1 else {"op": "and", "content": content}

    def explicit(self, content: List[Sqon], pivot: Optional[str]) -> List[Sqon]:
        """Returns the parts of an `and`, each as :func:`for_counts` needs it."""
        found = []
        for part in (inner for outer in content for inner in _unwrapped(outer)):
            around = self._containers(part)
            around = around[around.index(pivot) + 1 if pivot in around else 0 :]
            if _op(part) != "or":
                around = around[:-1]
            if _is_bound(part):
                part = {**part, "content": self.explicit(part["content"], part["pivot"])}
            found.append(reduce(lambda node, path: _bound(path, [node]), reversed(around), part))
        return found

    def _joint(self, parts: Sequence[Condition], pivot: Optional[str]) -> List[Sqon]:
        """Returns the parts of an `and`; those that lie in one list are one bound group."""
        content: List[Sqon] = []
        for part in parts:
            content = self._placed(content, self.translated(part), pivot)
        return content

    def _around(self, name: str) -> List[str]:
        """Returns the nested lists around a field or a list, outermost first."""
        path = name.replace("__", ".")
        return [container for container in self._nested if path.startswith(f"{container}.")]

    def _containers(self, node: Sqon) -> List[str]:
        """Returns the nested lists that a condition of one element lies in, outermost first."""
        op = _op(node)
        if op == "and":
            return [*self._around(node["pivot"]), node["pivot"]] if _is_bound(node) else []
        if op in (None, "not", "some-not-in"):
            return []
        content = node["content"]
        if op == "or":
            return _common([self._containers(part) for part in content])
        if op == "all" and len(content["value"]) != 1:
            return []
        return _common([self._around(name) for name in content.get("fieldNames") or [content["fieldName"]]])

    def _list_within(self, node: Sqon, pivot: Optional[str]) -> Optional[str]:
        """Returns the outermost list around a node within another list."""
        containers = self._containers(node)
        start = containers.index(pivot) + 1 if pivot in containers else 0
        return containers[start] if start < len(containers) else None

    def _placed(self, content: List[Sqon], part: Sqon, pivot: Optional[str]) -> List[Sqon]:
        """Adds a part to an `and`: bound to the one that lies in the same list, else beside the others."""
        path = self._list_within(part, pivot)
        for index, other in enumerate(content):
            if path and self._list_within(other, pivot) == path:
                return [*content[:index], self._joined(other, part), *content[index + 1 :]]
        return [*content, part]

    def _joined(self, first: Sqon, second: Sqon) -> Sqon:
        """Joins two parts that lie in one list."""
        before, around = self._containers(first), self._containers(second)
        if _is_bound(first) and first["pivot"] in around:
            return self._inserted(first, second)
        if _is_bound(second) and second["pivot"] in before:
            return self._inserted(second, first)
        return _bound(_common([before, around])[-1], [first, second])

    def _inserted(self, group: Sqon, part: Sqon) -> Sqon:
        pivot = group["pivot"]
        parts = part["content"] if _is_bound(part) and part["pivot"] == pivot else [part]
        return _bound(pivot, reduce(lambda content, each: self._placed(content, each, pivot), parts, group["content"]))


def _bound(pivot: str, content: List[Sqon]) -> Sqon:
    return {"op": "and", "pivot": pivot, "content": content}


def _op(node: Sqon) -> Optional[str]:
    """Returns the operator of a filter; none of one that stays as it is."""
    return None if isinstance(node, WrittenFilter) else node["op"]


def _is_bound(node: Sqon) -> bool:
    return _op(node) == "and" and "pivot" in node


def _unwrapped(node: Sqon) -> List[Sqon]:
    """Returns the parts of an `and` without a pivot; any other filter is its own only part."""
    if _op(node) != "and" or _is_bound(node):
        return [node]
    return [inner for part in node["content"] for inner in _unwrapped(part)]


def _common(lists: Sequence[List[str]]) -> List[str]:
    """Returns what all of these lists have."""
    if not lists:
        return []
    return [path for path in lists[0] if all(path in other for other in lists[1:])]
