# cowsh: `make`, `make test`, `make demo`; docs/architecture.md says what lives where.
CC ?= cc
CFLAGS ?= -O2 -g
B = build
WARN = -Wall -Wextra -Wshadow -Wconversion -Wvla -Werror
override CFLAGS += -std=c11 $(WARN) -I. -Iinclude -fvisibility=hidden -fno-strict-aliasing -MMD -MP

ARCH := $(shell $(CC) -dumpmachine | cut -d- -f1)
# Files named *_x86_64.c, *_aarch64.S, *_wasm.c, *_generic.c are chosen here, not by #ifdef.
ALL_SRC := $(wildcard base/*.c base/*/*.c vfs/*.c kernel/*.c interp/*.c interp/*/*.c builtins/*.c \
	builtins/*/*.c api/*.c)
ARCH_ONLY := %_x86_64.c %_aarch64.c %_wasm.c
LIB_SRC := $(filter-out $(ARCH_ONLY),$(ALL_SRC)) $(filter %_$(ARCH).c,$(ALL_SRC)) \
	$(wildcard kernel/*_$(ARCH).S)
LIB_OBJ := $(addprefix $(B)/,$(addsuffix .o,$(basename $(LIB_SRC))))

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c $< -o $@
$(B)/%.o: %.S
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c $< -o $@

# One archive a room, for unit tests that link only what they test.
room = $(B)/$(1).a
define ROOM
$(B)/$(1).a: $(filter $(B)/$(1)/%,$(LIB_OBJ))
	rm -f $$@ && ar rcs $$@ $$^
endef
$(foreach r,base vfs kernel interp builtins api,$(eval $(call ROOM,$(r))))

-include $(LIB_OBJ:.o=.d)
