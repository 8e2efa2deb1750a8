"""End-to-end tests that drive real coding agents against a scripted model.

The agents are installed with npm into a cache outside the repository, run inside
a network namespace that has nothing but loopback, with a clean environment, a HOME
of their own and a dummy key. All tests here carry the marker ``hosts``.
"""
