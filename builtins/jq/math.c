/* SPDX-License-Identifier: MIT
 *
 * Numbers: the functions of libm.
 */
#include <math.h>

#include "builtins/jq/jq.h"

/* POSIX has these, C has not. */
double j0(double x);
double j1(double x);
double jn(int n, double x);
double y0(double x);
double y1(double x);
double yn(int n, double x);
double lgamma_r(double x, int *sign);

/* --- one argument --- */

static double exp10_of(double x)
{
	return pow(10, x);
}

/* lgamma without the global variable that it sets. */
static double lgamma_of(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

static double significand_of(double x)
{
	int exp;

	return x == 0 || !isfinite(x) ? x : frexp(x, &exp) * 2;
}

#define UNARY(name, f)                                                                             \
	static struct json fn_##name(struct jq *j, struct json in, struct json *arg)               \
	{                                                                                          \
		double x;                                                                          \
                                                                                                   \
		(void)arg;                                                                         \
		if (!json_is_number(in))                                                           \
			return jq_bad(j, in, "number required");                                   \
		x = json_num(in);                                                                  \
		json_put(&j->m, in);                                                               \
		return json_number(f(x));                                                          \
	}

UNARY(floor, floor)
UNARY(ceil, ceil)
UNARY(trunc, trunc)
UNARY(round, round)
UNARY(rint, rint)
UNARY(sqrt, sqrt)
UNARY(exp, exp)
UNARY(exp2, exp2)
UNARY(exp10, exp10_of)
UNARY(expm1, expm1)
UNARY(log, log)
UNARY(log2, log2)
UNARY(log10, log10)
UNARY(log1p, log1p)
UNARY(cbrt, cbrt)
UNARY(sin, sin)
UNARY(cos, cos)
UNARY(tan, tan)
UNARY(asin, asin)
UNARY(acos, acos)
UNARY(atan, atan)
UNARY(sinh, sinh)
UNARY(cosh, cosh)
UNARY(tanh, tanh)
UNARY(asinh, asinh)
UNARY(acosh, acosh)
UNARY(atanh, atanh)
UNARY(lgamma, lgamma_of)
UNARY(tgamma, tgamma)
UNARY(logb, logb)
UNARY(significand, significand_of)
UNARY(fabs, fabs)
UNARY(erf, erf)
UNARY(erfc, erfc)
UNARY(j0, j0)
UNARY(j1, j1)
UNARY(y0, y0)
UNARY(y1, y1)

static struct json fn_abs(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	if (json_is_number(in))
		return json_num(in) < 0 ? jq_negate(j, in) : in;
	/* What is below all numbers would have to be negated. */
	return in.kind < JSON_NUMBER ? jq_negate(j, in) : in;
}

/* --- two and more --- */

static bool numbers(struct jq *j, struct json in, struct json *arg, unsigned n, double *out)
{
	for (unsigned i = 0; i < n; i++) {
		if (!json_is_number(arg[i])) {
			jq_bad(j, json_copy(arg[i]), "number required");
			break;
		}
		out[i] = json_num(arg[i]);
	}
	for (unsigned i = 0; i < n; i++)
		json_put(&j->m, arg[i]);
	json_put(&j->m, in);
	return !j->raised;
}

static int as_int(double y)
{
	return y > 100000 ? 100000 : y < -100000 ? -100000 : y != y ? 0 : (int)y;
}

static double ldexp_of(double x, double y)
{
	return ldexp(x, as_int(y));
}

/* Where the order is high the functions take as many turns. */
static double jn_of(double n, double x)
{
	return jn(as_int(n), x);
}

static double yn_of(double n, double x)
{
	return yn(as_int(n), x);
}

#define BINARY(name, f)                                                                            \
	static struct json fn_##name(struct jq *j, struct json in, struct json *arg)               \
	{                                                                                          \
		double v[2];                                                                       \
                                                                                                   \
		if (!numbers(j, in, arg, 2, v))                                                    \
			return json_simple(JSON_NONE);                                             \
		return json_number(f(v[0], v[1]));                                                 \
	}

BINARY(pow, pow)
BINARY(fmod, fmod)
BINARY(atan2, atan2)
BINARY(fmin, fmin)
BINARY(fmax, fmax)
BINARY(fdim, fdim)
BINARY(hypot, hypot)
BINARY(copysign, copysign)
BINARY(drem, remainder)
BINARY(ldexp, ldexp_of)
BINARY(nextafter, nextafter)
BINARY(jn, jn_of)
BINARY(yn, yn_of)

static struct json fn_fma(struct jq *j, struct json in, struct json *arg)
{
	double v[3];

	if (!numbers(j, in, arg, 3, v))
		return json_simple(JSON_NONE);
	return json_number(fma(v[0], v[1], v[2]));
}

static struct json pair(struct jq *j, double a, double b)
{
	struct json out = json_push(&j->m, json_array(&j->m, 2), json_number(a));

	return json_push(&j->m, out, json_number(b));
}

static struct json fn_frexp(struct jq *j, struct json in, struct json *arg)
{
	int exp = 0;
	double x;

	(void)arg;
	if (!json_is_number(in))
		return jq_bad(j, in, "number required");
	x = json_num(in);
	json_put(&j->m, in);
	if (isfinite(x))
		x = frexp(x, &exp);
	return pair(j, x, exp);
}

static struct json fn_modf(struct jq *j, struct json in, struct json *arg)
{
	double x;

	(void)arg;
	if (!json_is_number(in))
		return jq_bad(j, in, "number required");
	x = json_num(in);
	json_put(&j->m, in);
	return pair(j, isfinite(x) ? x - trunc(x) : 0, trunc(x));
}

static struct json fn_lgamma_r(struct jq *j, struct json in, struct json *arg)
{
	int sign = 0;
	double x;

	(void)arg;
	if (!json_is_number(in))
		return jq_bad(j, in, "number required");
	x = lgamma_r(json_num(in), &sign);
	json_put(&j->m, in);
	return pair(j, x, sign);
}

/* --- what kind of number --- */

static struct json fn_infinite(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	json_put(&j->m, in);
	return json_number(INFINITY);
}

static struct json fn_nan(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	json_put(&j->m, in);
	return json_number(NAN);
}

#define KIND(name, test)                                                                           \
	static struct json fn_##name(struct jq *j, struct json in, struct json *arg)               \
	{                                                                                          \
		bool number = json_is_number(in);                                                  \
		double x = number ? json_num(in) : 0;                                              \
                                                                                                   \
		(void)arg;                                                                         \
		json_put(&j->m, in);                                                               \
		return json_bool(number && (test));                                                \
	}

KIND(isnan, isnan(x))
KIND(isinfinite, isinf(x) != 0)
KIND(isnormal, isnormal(x))

const struct native jq_natives_math[] = {
	{ "floor", 0, fn_floor },
	{ "ceil", 0, fn_ceil },
	{ "trunc", 0, fn_trunc },
	{ "round", 0, fn_round },
	{ "rint", 0, fn_rint },
	{ "nearbyint", 0, fn_rint },
	{ "sqrt", 0, fn_sqrt },
	{ "exp", 0, fn_exp },
	{ "exp2", 0, fn_exp2 },
	{ "exp10", 0, fn_exp10 },
	{ "pow10", 0, fn_exp10 },
	{ "expm1", 0, fn_expm1 },
	{ "log", 0, fn_log },
	{ "log2", 0, fn_log2 },
	{ "log10", 0, fn_log10 },
	{ "log1p", 0, fn_log1p },
	{ "cbrt", 0, fn_cbrt },
	{ "sin", 0, fn_sin },
	{ "cos", 0, fn_cos },
	{ "tan", 0, fn_tan },
	{ "asin", 0, fn_asin },
	{ "acos", 0, fn_acos },
	{ "atan", 0, fn_atan },
	{ "sinh", 0, fn_sinh },
	{ "cosh", 0, fn_cosh },
	{ "tanh", 0, fn_tanh },
	{ "asinh", 0, fn_asinh },
	{ "acosh", 0, fn_acosh },
	{ "atanh", 0, fn_atanh },
	{ "gamma", 0, fn_lgamma },
	{ "lgamma", 0, fn_lgamma },
	{ "lgamma_r", 0, fn_lgamma_r },
	{ "tgamma", 0, fn_tgamma },
	{ "logb", 0, fn_logb },
	{ "significand", 0, fn_significand },
	{ "fabs", 0, fn_fabs },
	{ "abs", 0, fn_abs },
	{ "erf", 0, fn_erf },
	{ "erfc", 0, fn_erfc },
	{ "j0", 0, fn_j0 },
	{ "j1", 0, fn_j1 },
	{ "y0", 0, fn_y0 },
	{ "y1", 0, fn_y1 },
	{ "jn", 2, fn_jn },
	{ "yn", 2, fn_yn },
	{ "pow", 2, fn_pow },
	{ "fmod", 2, fn_fmod },
	{ "atan2", 2, fn_atan2 },
	{ "fmin", 2, fn_fmin },
	{ "fmax", 2, fn_fmax },
	{ "fdim", 2, fn_fdim },
	{ "hypot", 2, fn_hypot },
	{ "copysign", 2, fn_copysign },
	{ "drem", 2, fn_drem },
	{ "remainder", 2, fn_drem },
	{ "ldexp", 2, fn_ldexp },
	{ "scalb", 2, fn_ldexp },
	{ "scalbln", 2, fn_ldexp },
	{ "nextafter", 2, fn_nextafter },
	{ "nexttoward", 2, fn_nextafter },
	{ "fma", 3, fn_fma },
	{ "frexp", 0, fn_frexp },
	{ "modf", 0, fn_modf },
	{ "infinite", 0, fn_infinite },
	{ "nan", 0, fn_nan },
	{ "isnan", 0, fn_isnan },
	{ "isinfinite", 0, fn_isinfinite },
	{ "isnormal", 0, fn_isnormal },
	{ NULL, 0, NULL },
};
