# cowsh. docs/architecture.md says what lives where.
#
#   make            build/cowsh and the libraries          make install PREFIX= DESTDIR=
#   make demo       the main job on real input             make test     all quick tests
#   make oracle     the cases in the real bash             make asan     tests under sanitizers
#   make lint       layers, sizes, symbols, format         make bench    speed beside real tools
#   make asan GUARDED=1  the same, with each block of the library's own memory watched
#   make bench-peers  speed beside other simulated shells, from the npm registry
#   make fuzz       every fuzz target, FUZZ_SECONDS each   make fuzz-diff  random scripts, both sides
#   make faults     the cases with each allocation failing, a switch at every kernel call, forks, saves
#   make hostile    scripts that attack, and every command with endless input
#   make proof      what the program asks of the kernel, under strace
#   make determinism  every case twice in different surroundings: the same to the last step
#   make soak       memory stays flat over a million sessions and commands
#   make microvm-soak  a hundred runs each of node, of a script that forks, of gcc and make
#   make microvm-test  real programs in KVM, beside the same natively   make rootfs  a Debian to run
#   make wasm-test  the cases in wasm under Node           make check    what CI runs
#   make wasm-package  the npm package, into build/npm     make wasm-browser-test  the same in Chromium

# As many jobs as processors, also without -j.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif

B ?= build
CFLAGS ?= -O2 -g
OBJCOPY ?= objcopy
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
FUZZ_LINES ?= 320
WARN = -Wall -Wextra -Wshadow -Wconversion -Wvla -Werror
STD = -std=c11 $(WARN) -I. -Iinclude -MMD -MP
LIB_CFLAGS = $(STD) -fPIC -fvisibility=hidden -fno-strict-aliasing -fno-math-errno $(CFLAGS)
ARCH := $(shell $(CC) -dumpmachine | cut -d- -f1)

# Files named *_x86_64.*, *_aarch64.*, *_wasm.c, *_generic.c are chosen here, not by #ifdef.
ROOMS = base vfs kernel interp builtins $(if $(filter x86_64,$(ARCH)),microvm) api
SRC = $(filter-out microvm/kvm/% microvm/vdso/%,\
	$(foreach r,$(ROOMS),$(wildcard $(r)/*.c $(r)/*/*.c $(r)/*_$(ARCH).S)))
PLATFORM = %_x86_64.c %_aarch64.c %_wasm.c %_generic.c %_asan.c %_plain.c
LIB_SRC = $(sort $(filter-out $(PLATFORM),$(SRC)) $(filter %_$(ARCH).c,$(SRC)) \
	$(filter %_$(SIMD).c,$(SRC)) $(filter %_$(SANITIZE).c,$(SRC)))
SIMD = $(if $(filter x86_64,$(ARCH)),x86_64,generic)
SANITIZE = $(if $(findstring -fsanitize=address,$(CFLAGS)),asan,plain)
OBJ = $(addprefix $(B)/,$(addsuffix .o,$(basename $(LIB_SRC)))) $(SQLITE_OBJ)
CLI_SRC = $(filter-out $(PLATFORM),$(wildcard cli/*.c)) $(if $(MUSL),$(wildcard cli/memory_$(ARCH).c)) \
	cli/machine_$(SIMD).c
CLI_OBJ = $(patsubst %.c,$(B)/%.o,$(CLI_SRC))

# The program is linked with musl, which starts in a third of glibc's time; under sanitizers, and
# where musl is not installed, with the compiler's own C library.
MUSL = $(if $(findstring -fsanitize,$(CFLAGS)),,$(wildcard /usr/lib/$(ARCH)-linux-musl))
MUSL_CFLAGS = -nostdinc -isystem /usr/include/$(ARCH)-linux-musl \
	-isystem $(shell $(CC) -print-file-name=include) \
	-idirafter /usr/include -idirafter /usr/include/$(ARCH)-linux-gnu

# The compression libraries, and their Debian packages. Their archives were made for glibc: what of it
# they name besides, in functions that are never called, does not exist in musl.
LIBS = -lz -lbz2 -llzma -lzstd
PACKAGES = zlib1g-dev libbz2-dev liblzma-dev libzstd-dev libsqlite3-dev
MUSL_LIBS = $(LIBS) -Wl,--defsym=__fprintf_chk=abort -Wl,--defsym=fopen64=abort

all: $(B)/cowsh $(B)/cowsh-edit $(B)/libcowsh.a $(B)/libcowsh.so $(KVM_LIB)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	@echo '  CC $<'
	@$(CC) $(LIB_CFLAGS) -c $< -o $@
$(B)/%.o: %.S
	@mkdir -p $(@D)
	@echo '  AS $<'
	@$(CC) $(LIB_CFLAGS) -c $< -o $@
$(B)/cli/%.o: cli/%.c
	@mkdir -p $(@D)
	@echo '  CC $<'
	@$(CC) $(STD) -D_GNU_SOURCE $(if $(MUSL),$(MUSL_CFLAGS)) $(CFLAGS) -c $< -o $@
$(B)/cli/memory_%.o: CFLAGS += -fno-builtin $(if $(findstring clang,$(CC)),,-fno-tree-loop-distribute-patterns)

# SQLite's library without what knows an operating system: builtins/sqlite3/host.c tells.
SQLITE ?= $(shell $(CC) -print-file-name=libsqlite3.a)
SQLITE_OBJ ?= $(B)/builtins/sqlite3/library.o
$(B)/builtins/sqlite3/library.o: $(SQLITE) builtins/sqlite3/library builtins/sqlite3/members
	@mkdir -p $(@D)
	@echo '  LD $@'
	@builtins/sqlite3/library $(SQLITE) $@ $(LD) $(OBJCOPY) $(AR)

# What runs inside real programs, and the machine they run in: a library of its own, because it
# enters the operating system.
VDSO_FLAGS = -O2 -fPIC -nostdlib -shared -ffreestanding -fno-stack-protector -fcf-protection=none \
	-Wl,-soname,linux-vdso.so.1 -Wl,--hash-style=both -Wl,-Bsymbolic -Wl,--build-id=none
$(B)/microvm/vdso.so: microvm/vdso/vdso.c microvm/vdso/vdso.lds
	@mkdir -p $(@D)
	@echo '  LD $@'
	@$(CC) $(VDSO_FLAGS) -Wl,-T,microvm/vdso/vdso.lds -o $@ $<
$(B)/microvm/vdso_image_x86_64.o: $(B)/microvm/vdso.so
$(B)/microvm/vdso_image_x86_64.o: LIB_CFLAGS += -DVDSO_IMAGE='"$(B)/microvm/vdso.so"'
KVM_OBJ = $(patsubst %.c,$(B)/%.o,$(wildcard microvm/kvm/*.c))
KVM_LIB = $(if $(filter x86_64,$(ARCH)),$(B)/libcowsh-kvm.a)
$(KVM_OBJ): $(B)/%.o: %.c
	@mkdir -p $(@D)
	@echo '  CC $<'
	@$(CC) $(STD) -D_GNU_SOURCE $(if $(MUSL),$(MUSL_CFLAGS)) $(CFLAGS) -c $< -o $@
$(B)/libcowsh-kvm.a: $(KVM_OBJ)
	@rm -f $@ && $(AR) rcs $@ $^

# One archive a room, for unit tests that link only what they test.
define ROOM
$(B)/$(1).a: $(filter $(B)/$(1)/%,$(OBJ))
	@rm -f $$@ && $(AR) rcs $$@ $$^
endef
$(foreach r,$(ROOMS),$(eval $(call ROOM,$(r))))

# One object in which only cowsh_* is visible, whatever the program around it defines.
$(B)/libcowsh.o: $(OBJ)
	@echo '  LD $@'
	@$(LD) -r -o $@ $^
	@$(OBJCOPY) -w --keep-global-symbol='cowsh_*' $@
$(B)/libcowsh.a: $(B)/libcowsh.o
	@rm -f $@ && $(AR) rcs $@ $<
$(B)/libcowsh.so: $(B)/libcowsh.o
	@echo '  LD $@'
	@$(CC) -shared -Wl,-soname,libcowsh.so.0 -Wl,--as-needed $(CFLAGS) -o $@ $^ $(LIBS) -lm

$(B)/cowsh: $(CLI_OBJ) $(KVM_LIB) $(B)/libcowsh.a
	$(if $(MUSL),$(LINK_MUSL),$(CC) $(CFLAGS) -o $@ $^ $(LIBS) -lm)
LINK_MUSL = $(CC) -static -nostdlib -o $@ $(MUSL)/crt1.o $(MUSL)/crti.o $^ \
	$(MUSL_LIBS) $(MUSL)/libc.a $(shell gcc -print-libgcc-file-name) $(MUSL)/crtn.o
$(B)/cowsh-edit: cli/edit/main.c cli/lock.c cli/lock.h
	$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -I. -Iinclude $(CFLAGS) -o $@ $(filter %.c,$^) -ledit
$(B)/run: tests/run.c tests/cases.c tests/digests.c tests/journals.c tests/oracle.c $(B)/libcowsh.a
	$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -I. -Iinclude $(CFLAGS) -o $@ $^ $(LIBS) -lm
$(B)/hostile: tests/hostile.c tests/cases.c $(B)/libcowsh.a builtins/list.h
	$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -I. -Iinclude $(CFLAGS) -o $@ $(filter-out %.h,$^) $(LIBS) -lm
$(B)/bench: bench/bench.c $(B)/libcowsh.a
	$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -Iinclude $(CFLAGS) -o $@ $^ $(LIBS) -lm
$(B)/microvm-%: tests/microvm/%.c tests/microvm/session.h $(KVM_LIB) $(B)/libcowsh.a
	$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -I. -Iinclude $(CFLAGS) -o $@ $(filter-out %.h,$^) $(LIBS) -lm
$(B)/soak: tests/soak.c $(B)/libcowsh.a
	$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -Iinclude $(CFLAGS) -o $@ $^ $(LIBS) -lm

CASES = $(sort $(wildcard tests/*/*.test))
UNIT = $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))
UNIT_LIBS = $(addprefix $(B)/,api.a $(if $(filter x86_64,$(ARCH)),microvm.a) builtins.a interp.a kernel.a vfs.a base.a)
$(B)/unit/%: tests/unit/%.c $(UNIT_LIBS)
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -I. -Iinclude $(CFLAGS) -o $@ $< \
		-Wl,--start-group $(UNIT_LIBS) -Wl,--end-group $(LIBS) -lm -lpthread
$(B)/unit/test_broker: cli/lock.c cli/apply_host.c cli/whole.c cli/broker.c
$(B)/unit/test_fetch: cli/allow.c

$(B)/options: tests/options.c $(UNIT_LIBS)
	$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -I. -Iinclude $(CFLAGS) -o $@ $< \
		-Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LIBS) -lm
$(B)/faults: tests/faults.c tests/cases.c $(UNIT_LIBS)
	$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -I. -Iinclude $(CFLAGS) -o $@ $(filter %.c,$^) \
		-Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LIBS) -lm

deps:
	@tools/need gcc make binutils libc6-dev libedit-dev musl-dev bash coreutils \
		grep sed findutils $(PACKAGES)
SESSIONS = $(B)/microvm-cases $(B)/microvm-limits $(B)/microvm-waits
test: deps
	@$(MAKE) --no-print-directory all $(B)/run $(B)/hostile $(B)/faults \
		$(if $(KVM_LIB),$(SESSIONS)) unit
	@tools/test $(B)
unit: $(UNIT)
# The packages of the real tools.
ORACLE_PACKAGES = ascii attr bc binutils bsdextrautils bsdmainutils bsdutils bzip2 cpio curl dc diffutils dos2unix ed file \
	gawk gettext-base git gzip jq less libarchive-zip-perl lsof man-db moreutils ncal openssl \
	parallel patch perl procps psmisc rename retry ripgrep rsync sharutils sqlite3 tar time tree \
	tzdata unzip util-linux uuid-runtime wget xz-utils yq zip zstd
oracle: deps
	@tools/need $(ORACLE_PACKAGES)
	@$(MAKE) --no-print-directory $(B)/run
	$(B)/run --oracle $(CASES)
asan:
	@$(MAKE) --no-print-directory B=$(B)/asan$(if $(GUARDED),-guarded) CC=gcc CFLAGS='-O1 -g \
		-fsanitize=address,undefined -fno-omit-frame-pointer $(if $(GUARDED),-DGUARDED=1)' test
LINT_PACKAGES = clang clang-format git
# Its own objects, without optimization: built in half the time, and no call is optimized away.
# A process has 128 KiB of stack, in WebAssembly half of that: no frame may take much of it.
lint: deps
	@tools/need $(LINT_PACKAGES)
	@$(MAKE) --no-print-directory B=$(B)/lint CFLAGS='-O0 -Wframe-larger-than=20000' \
		$(B)/lint/libcowsh.o $(B)/lint/cowsh
	@printf '%s\n' $(filter %.c,$(LIB_SRC)) fuzz/fuzz_*.c | \
		xargs -P "$$(nproc)" -n 50 clang -std=c11 $(WARN) -I. -Iinclude -fsyntax-only
	@tools/style $(B)/lint/libcowsh.o
	@tools/commands $(B)/lint/cowsh --check
demo: deps
	@$(MAKE) --no-print-directory $(B)/cowsh
	@tools/demo $(B)/cowsh
bench: deps
	@tools/need dash gawk jq mawk openssl ripgrep time
	@$(MAKE) --no-print-directory all $(B)/bench $(if $(KVM_LIB),$(B)/microvm-first)
	@[ ! -w /dev/kvm ] || { tools/need qemu-system-x86 busybox-static cpio && \
		$(MAKE) --no-print-directory $(B)/cloud-kernel; } || echo 'bench: no virtual machine to compare with'
	@bench/run $(B)
# For the comparison with a virtual machine; fetched, not installed.
$(B)/cloud-kernel:
	@tools/cloud-kernel $@
# Beside two other simulated shells, from the npm registry.
bench-peers: deps
	@tools/need nodejs npm
	@$(MAKE) --no-print-directory all $(B)/bench
	@bench/run $(B) peers
soak: deps
	@$(MAKE) --no-print-directory $(B)/soak
	$(B)/soak
fuzz:
	@tools/need clang libclang-rt-14-dev $(PACKAGES)
	@tools/fuzz $(B)/fuzz $(FUZZ_SECONDS)
faults: deps
	@$(MAKE) --no-print-directory $(B)/faults
	$(B)/faults --alloc $(CASES)
	$(B)/faults --switch $(CASES)
	$(B)/faults --fork $(CASES)
	$(B)/faults --save $(filter-out %/cd.test %/special_vars.test,$(CASES))
	$(B)/faults --late $(filter-out %/cd.test %/special_vars.test %/lsof.test %/ps_options.test,$(CASES))
hostile: deps
	@$(MAKE) --no-print-directory $(B)/hostile
	$(B)/hostile tests/hostile/*.hostile
	$(B)/hostile --endless
determinism: deps
	@$(MAKE) --no-print-directory $(B)/cowsh $(B)/run
	@tools/determinism $(B)
proof: deps
	@tools/need strace util-linux python3
	@$(MAKE) --no-print-directory all $(B)/run $(B)/hostile
	@tools/proof $(B)
microvm-test: deps
	@$(MAKE) --no-print-directory all $(B)/microvm-fork $(B)/microvm-live $(SESSIONS)
	@tests/microvm/run $(B)
	@tests/microvm/warm $(B)
	@tests/microvm/fork $(B)
	@tests/microvm/sessions $(B)
	@for what in cancel signal alloc fork; do \
		$(B)/microvm-cases --$$what 10 tests/microvm/real.cases || exit 1; done
microvm-soak: deps
	@$(MAKE) --no-print-directory all
	@tests/microvm/soak $(B)
rootfs: deps
	@tools/need mmdebstrap
	@$(MAKE) --no-print-directory $(B)/cowsh
	@tools/rootfs $(B)/rootfs
	@[ -e $(B)/rootfs.image ] || $(B)/cowsh image build -o $(B)/rootfs.image $(B)/rootfs
syscalls:
	tools/gen_syscalls.py > docs/syscalls.md
fuzz-diff: deps
	@tools/need python3 nodejs npm $(ORACLE_PACKAGES)
	@$(MAKE) --no-print-directory $(B)/run $(B)/options $(B)/real/jq
	@status=0; tools/fuzz-diff $(B) scripts $(FUZZ_SECONDS) || status=1; \
		tools/fuzz-diff $(B) commands $(FUZZ_LINES) || status=1; exit $$status
# A jq of the version that ours is made after.
$(B)/real/jq: tools/fuzz-jq
	@npm install --silent --prefix $(@D) jq-wasm@1.1.0-jq-1.7.1
	@cp $< $@
WASM_PACKAGES = emscripten nodejs dpkg-dev tcl
wasm-test:
	@tools/need $(WASM_PACKAGES)
	@$(MAKE) --no-print-directory $(B)/run $(B)/cowsh
	@wasm/test $(B)/wasm $(B)/run $(B)/npm $(B)/cowsh
# The npm package, in build/npm; and the same in a browser.
wasm-package:
	@tools/need $(WASM_PACKAGES)
	@wasm/archives $(B)/wasm
	@wasm/package $(B)/wasm $(B)/npm
wasm-browser-test: wasm-package
	@tools/need chromium
	@node wasm/browser.test.mjs $(B)/npm chromium
# The cases on the other processor, by Debian's cross compiler and qemu: the same steps and output.
aarch64-test: deps
	@tools/need gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user $(PACKAGES:%=%:arm64)
	@$(MAKE) --no-print-directory $(B)/run
	@$(MAKE) --no-print-directory B=$(B)/aarch64 CC=aarch64-linux-gnu-gcc LD=aarch64-linux-gnu-ld \
		OBJCOPY=aarch64-linux-gnu-objcopy AR=aarch64-linux-gnu-ar $(B)/aarch64/run
	@qemu-aarch64 -L /usr/aarch64-linux-gnu $(B)/aarch64/run --digests $(B)/aarch64/digests $(CASES)
	@$(B)/run --digests $(B)/aarch64/native $(CASES) > $(B)/aarch64/log
	@tools/same-digests $(B)/aarch64/native $(B)/aarch64/digests
# All that these need: two installations at once are not possible.
packages: deps
	@tools/need $(LINT_PACKAGES) $(WASM_PACKAGES) $(ORACLE_PACKAGES)
check:
	for part in lint test oracle asan wasm-test; do $(MAKE) --no-print-directory $$part || exit; done

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig \
		$(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(DESTDIR)$(PREFIX)/libexec/cowsh
	install -m 755 $(B)/cowsh $(DESTDIR)$(PREFIX)/bin/cowsh
	install -m 755 $(B)/cowsh-edit $(DESTDIR)$(PREFIX)/libexec/cowsh/cowsh-edit
	install -m 644 $(B)/libcowsh.a $(DESTDIR)$(PREFIX)/lib/libcowsh.a
	install -m 755 $(B)/libcowsh.so $(DESTDIR)$(PREFIX)/lib/libcowsh.so.0
	ln -sf libcowsh.so.0 $(DESTDIR)$(PREFIX)/lib/libcowsh.so
	install -m 644 include/*.h $(DESTDIR)$(PREFIX)/include
	$(if $(KVM_LIB),install -m 644 $(KVM_LIB) $(DESTDIR)$(PREFIX)/lib)
	sed 's|@PREFIX@|$(PREFIX)|' docs/cowsh.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/cowsh.pc
	install -m 644 docs/cowsh.1 $(DESTDIR)$(PREFIX)/share/man/man1/cowsh.1

clean:
	rm -rf $(B)

.PHONY: aarch64-test determinism microvm-test microvm-soak rootfs syscalls
.PHONY: all deps packages soak faults hostile proof test unit oracle asan lint demo bench bench-peers fuzz fuzz-diff wasm-test wasm-package wasm-browser-test check install clean
-include $(OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(KVM_OBJ:.o=.d)
