# `run` looks for the runtime libraries before it looks at a program.
add_dependencies(test_driver product)
