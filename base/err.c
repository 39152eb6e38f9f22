/* SPDX-License-Identifier: MIT
 *
 * Error texts: the one function that turns a number into words.
 */
#include "base/err.h"

const char *err_text(int err)
{
	switch (err < 0 ? -err : err) {
#define ERR(name, number, text)                                                                    \
	case number: return text;
		ERR_LIST(ERR)
#undef ERR
	default: return err == 0 ? "Success" : "Unknown error";
	}
}

const char *err_name(int err)
{
	switch (err < 0 ? -err : err) {
#define ERR(name, number, text)                                                                    \
	case number: return "E" #name;
		ERR_LIST(ERR)
#undef ERR
	default: return "E?";
	}
}
