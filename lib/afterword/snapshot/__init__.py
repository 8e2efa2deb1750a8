"""Increments, and what they compile into: the snapshot, the modules, the conflicts.

Everything a target file shows is a pure fold over facts (`fact`, `fold`), and a target
file gives its facts back (`document`), so that compiling, merging and rebuilding are one
thing. Standard library, `store`, `episode.events` and `errors` only; nothing here is
loaded by a hook until a compile is due, `overview` apart.
"""
