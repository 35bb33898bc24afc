std = "luajit"
max_line_length = 120
-- Unused arguments document what a function is given.
unused_args = false
-- `not (x > y)` is not `x <= y` when one of them is NaN.
ignore = { "581" }
files["examples/love"] = { std = "luajit+love" }
files["tests/embed/love"] = { std = "luajit+love" }
