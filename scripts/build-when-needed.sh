# Builds build/dist from the sources: jars, class paths, AOT caches. Sourced by the launcher.

# The mark is as old as the beginning of the last build, so whatever changed while it ran counts as newer.
sources_changed() {
    [ -f "$dist/stamp" ] || return 0
    newer=$(cd "$root" && find pom.xml ./*/pom.xml ./*/Makefile ./*/src admin-ui/*.json admin-ui/*.ts admin-ui/*.html admin-ui/scripts -newer "$dist/stamp" -print -quit 2>/dev/null)
    [ -n "$newer" ]
}

build_when_needed() {
    # A build starts the launcher again, to rehearse.
    [ -z "${HERMIT_BUILDING-}" ] || return 0
    sources_changed || return 0
    . "$root/scripts/packages.sh"
    require_programs mvn=maven musl-gcc=musl-tools make=make gcc=gcc node=nodejs npm=npm
    mkdir -p "$root/build"
    lock_build
    # Another build may have ended while this one waited for it.
    ! sources_changed || build
    unlock_build
}

# One build at a time: both write the same target folders. `flock` lets go of its lock whatever becomes of us; elsewhere a folder has to do.
lock_build() {
    if command -v flock >/dev/null; then
        exec 9>"$root/build/lock"
        flock -n 9 || {
            say "another build is running; waiting for it"
            flock 9
        }
    else
        until mkdir "$root/build/lock.d" 2>/dev/null; do
            kill -0 "$(cat "$root/build/lock.d/pid" 2>/dev/null)" 2>/dev/null || rm -rf "$root/build/lock.d"
            sleep 1
        done
        echo $$ >"$root/build/lock.d/pid"
    fi
}

unlock_build() {
    exec 9>&-
    rm -rf "$root/build/lock.d"
}

build() {
    say "building (the first time takes some minutes)"
    fresh=$root/build/dist.new
    rm -rf "$fresh"
    mkdir -p "$fresh/lib"
    : >"$fresh/stamp"
    (
        cd "$root" || exit 1
        export JAVA_HOME="$jdk" HERMIT_BUILDING=1
        # Maven 3 itself uses what newer JDKs warn about.
        export MAVEN_OPTS="${MAVEN_OPTS-} --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED"
        # Jars of an earlier version would stay on the class path.
        rm -rf cli/target/lib gateway/target/lib fakes/target/lib
        mvn -q -B -Dstyle.color=never -Dmaven.test.skip=true package \
            dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=target/lib </dev/null >&2
    ) || fail "the build failed"
    collect cli
    collect gateway
    collect fakes
    # Whole or not at all: a gateway that runs from the old one keeps its files open.
    rm -rf "$root/build/dist.old"
    [ ! -d "$dist" ] || mv "$dist" "$root/build/dist.old"
    mv "$fresh" "$dist"
    rm -rf "$root/build/dist.old"
    rehearse
}

# collect MODULE: its jar and those that it needs, and their order.
collect() {
    module=$1
    : >"$fresh/$module.classpath"
    for jar in "$root/$module/target/hermit-$module-$HERMIT_VERSION.jar" "$root/$module"/target/lib/*.jar; do
        [ -f "$jar" ] || fail "the build made no $jar"
        cp -p "$jar" "$fresh/lib/"
        echo "${jar##*/}" >>"$fresh/$module.classpath"
    done
}

# Both programs run once, to make their AOT caches. Without them everything works, only starts are slower.
rehearse() {
    say "rehearsing, so that later starts are fast"
    mkdir -p "$dist/rehearsal"
    (
        class_path cli
        export HERMIT_BUILDING=1
        exec "$java" -cp "$class_path" hermit.cli.Main rehearse --caches "$dist/rehearsal"
    ) </dev/null >"$dist/rehearsal/log" 2>&1 || say "the rehearsal did not go through (see $dist/rehearsal/log): starts will be slower"
    for cache in "$dist"/rehearsal/*.aot; do
        [ ! -f "$cache" ] || mv "$cache" "$dist/"
    done
}
