#!/bin/sh
# How others take scree in: run.sh WHAT, started by Meson, which says in the environment where things are (SOURCE, BUILD,
# PREFIX, LIBDIR, VERSION). What it needs and does not find is said, and the test is skipped (exit code 77).
set -eu

need() {
	for program in "$@"; do
		if ! command -v "$program" >/dev/null 2>&1; then
			echo "SKIPPED: $program is not installed"
			exit 77
		fi
	done
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The library and the module as `meson install` puts them, under $folder/root.
install_there() {
	meson install -C "$BUILD" --no-rebuild --quiet --destdir "$folder/root"
	root=$folder/root$PREFIX
	export LD_LIBRARY_PATH="$root/$LIBDIR"
}

# Only what is installed counts, not what the build has.
forget_the_build() {
	unset SCREE_LIBRARY SCREE_SOURCE_ROOT LUA_INIT
	LUA_PATH=";;"
	export LUA_PATH
}

case $1 in
host)
	echo "SKIPPED: the headers of LuaJIT are not installed (libluajit-5.1-dev)"
	exit 77
	;;
pkg-config)
	need pkg-config
	install_there
	export PKG_CONFIG_PATH="$root/$LIBDIR/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$folder/root"
	test "$(pkg-config --modversion scree)" = "$VERSION"
	# shellcheck disable=SC2046 # words of a command line
	${CC:-cc} "$SOURCE/tests/embed/consumer.c" $(pkg-config --cflags --libs scree) -o "$folder/consumer"
	"$folder/consumer" "$VERSION"
	# shellcheck disable=SC2046
	${CC:-cc} -Wall -Wextra -Werror "$SOURCE/examples/embed/plain.c" $(pkg-config --cflags --libs scree) -o "$folder/plain"
	"$folder/plain"
	;;
cmake)
	need cmake ninja c++
	install_there
	cmake -G Ninja -S "$SOURCE/tests/embed" -B "$folder/build" -DCMAKE_PREFIX_PATH="$root" >"$folder/log" || {
		cat "$folder/log"
		exit 1
	}
	cmake --build "$folder/build"
	(cd "$folder/build" && ctest --output-on-failure)
	;;
installed)
	install_there
	forget_the_build
	test "$("$root/bin/scree" --version)" = "$VERSION"
	cd "$folder"
	"$root/bin/scree" render "$SOURCE/examples/embed/scene.lua" -o shot.png --at 0.2s --size 32x18 --samples 1
	test -s shot.png
	;;
rock)
	need luarocks
	# the tree without what was built
	mkdir "$folder/scree-$VERSION" "$folder/tree"
	(cd "$SOURCE" && tar cf - --exclude='./build*' --exclude='./.git' --exclude='./.cache' .) |
		(cd "$folder/scree-$VERSION" && tar xf -)
	cd "$folder"
	tar czf "scree-$VERSION.tar.gz" "scree-$VERSION"
	cp "scree-$VERSION/scree-$VERSION-1.rockspec" .
	rm -rf "scree-$VERSION"
	luarocks lint "scree-$VERSION-1.rockspec"
	# Its dependency (argparse) is Debian's here, so that no network is needed.
	if command -v ccache >/dev/null 2>&1; then
		compiler="ccache ${CC:-gcc}"
	fi
	luarocks --lua-version 5.1 --tree "$folder/tree" build --deps-mode none "scree-$VERSION-1.rockspec" \
		CC="${compiler:-${CC:-gcc}}" >log 2>&1 || {
		cat log
		exit 1
	}
	forget_the_build
	export LUA_PATH="$folder/tree/share/lua/5.1/?.lua;;" LUA_CPATH="$folder/tree/lib/lua/5.1/?.so;;"
	cat >scene.lua <<-END
		local scree = require "scree"
		local world = scree.world {}
		world.terrain:fill_box { position = { 0, -2, 0 }, size = { 20, 4, 20 }, material = "grass" }
		world:spawn { shape = "ball", radius = 0.5, position = { 0, 2, 0 } }
		print(scree.version, world:settle(10) ~= nil)
	END
	test "$(luajit scene.lua)" = "$VERSION	true"
	unset LUA_PATH LUA_CPATH # the program finds them by itself
	test "$("$folder/tree/bin/scree" --version)" = "$VERSION"
	luarocks --lua-version 5.1 --tree "$folder/tree" remove scree
	test ! -e "$folder/tree/share/lua/5.1/scree.lua"
	test -z "$(find "$folder/tree" -name 'libscree*')"
	;;
love)
	need love xvfb-run xauth
	cd "$folder"
	# The sound of a machine without any is of no interest.
	xvfb-run -a -s '-screen 0 1024x768x24' love "$SOURCE/examples/love" --shot "$folder/shot.png" 0.5
	test -s shot.png
	love "$SOURCE/tests/embed/love" "$folder/shot.png" >seen.txt
	cat seen.txt
	grep -q '^a scene$' seen.txt
	;;
gltf)
	need node
	NODE_PATH="${NODE_PATH:+$NODE_PATH:}$SOURCE/.cache/npm/node_modules"
	if command -v npm >/dev/null 2>&1; then
		NODE_PATH="$NODE_PATH:$(npm root -g)"
	fi
	export NODE_PATH
	if ! node -e 'require.resolve("gltf-validator")' 2>/dev/null; then
		echo "SKIPPED: there is no gltf-validator (npm install --prefix .cache/npm gltf-validator)"
		exit 77
	fi
	cd "$SOURCE"
	for scene in embed/scene drawbridge crane ragdoll water/digging_under_water; do
		luajit tests/embed/export_gltf.lua "examples/$scene.lua" "$folder/$(basename "$scene").glb"
	done
	node tests/embed/validate_gltf.js "$folder"/*.glb
	;;
*)
	echo "usage: run.sh host|pkg-config|cmake|installed|rock|love|gltf" >&2
	exit 2
	;;
esac
