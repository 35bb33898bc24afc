std = "luajit"
max_line_length = 120
-- Unused arguments document what a function is given.
unused_args = false
-- `not (x > y)` is not `x <= y` when one of them is NaN.
ignore = { "581" }
