// What CMake makes the shared library from; everything else comes from the api room.
