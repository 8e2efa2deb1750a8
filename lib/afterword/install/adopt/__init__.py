"""Uses the tree of another memory system in place (DESIGN section 3).

One module a system says what its tree becomes here: settings under our names, notes
about what has none, the files that our merge driver serves from now on. `detection`
asks them all, `unset` and `local_half` do what every adoption needs. Nothing is moved,
nothing overwritten. Standard library only: install runs before any dependency exists.
"""
