"""Drop-in faces: modules with the names of other libraries, over the engine of this one."""
