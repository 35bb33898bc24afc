rockspec_format = "3.0"
package = "scree"
version = "0.1.0-1"
source = {
	-- What `git archive --prefix scree-0.1.0/ -o scree-0.1.0.tar.gz HEAD` makes, beside this file.
	url = "scree-0.1.0.tar.gz",
	dir = "scree-0.1.0",
}
description = {
	summary = "Voxel terrain and rigid-body physics for LuaJIT",
	detailed = [[
Ground that can be dug, piled up and flooded, and bodies that fall, slide, stack and come to rest on it. The same script
gives the same bits on every machine. Needs LuaJIT, a C compiler, Meson, and the headers of xxHash, libspng, zlib, zstd,
Qhull and cJSON.]],
	license = "MIT",
}
supported_platforms = { "unix" }
dependencies = { "lua == 5.1", "argparse >= 0.7" }
build = {
	type = "command",
	build_command = [[rm -rf build-rock && meson setup build-rock --buildtype release -Dtests=false --prefix "$(PREFIX)" ]]
		.. [[--libdir "$(LIBDIR)" --bindir "$(BINDIR)" -Dluadir="$(LUADIR)" && meson compile -C build-rock]],
	install_command = "meson install -C build-rock --no-rebuild --tags runtime",
}
-- It is a script of LuaJIT, which a wrapper would start with LuaRocks' own Lua.
deploy = { wrap_bin_scripts = false }
