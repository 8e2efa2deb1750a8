"""Makes the private environment, wires a project, undoes it (DESIGN sections 4 and 10).

Runs before any dependency exists: the standard library, `host`, `store` and `errors`
only. A plan of changes is made first, printed or applied second.
"""
