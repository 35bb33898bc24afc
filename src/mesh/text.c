/* Words and numbers of text formats. The C library's conversions follow the locale, so that a program that set one
 * would read 1.5 as 1; these do not. */
#include "mesh/mesh_internal.h"

static bool IsLineEnd(char c)
{
	return c == '\n' || c == '\r';
}

static bool IsBlank(char c)
{
	return (unsigned char)c <= ' ' && !IsLineEnd(c);
}

/* Length of the line end at `at`: 2 for CR LF. */
static size_t LineEnd_Length(const char *at, const char *end)
{
	return at[0] == '\r' && end - at > 1 && at[1] == '\n' ? 2 : 1;
}

/* Passes over blanks, and over a backslash with the line end behind it where that joins lines. */
static void SkipBlanks(TextReader *reader)
{
	while (reader->at < reader->end) {
		const char *next = reader->at + 1;
		if (IsBlank(*reader->at)) {
			reader->at++;
		} else if (reader->continues && *reader->at == '\\' && next < reader->end && IsLineEnd(*next)) {
			reader->at = next + LineEnd_Length(next, reader->end);
			reader->line++;
		} else {
			break;
		}
	}
}

bool Text_Word(TextReader *reader, TextWord *word)
{
	SkipBlanks(reader);
	const char *at = reader->at;
	while (at < reader->end && (unsigned char)*at > ' ') {
		if (reader->continues && *at == '\\' && at + 1 < reader->end && IsLineEnd(at[1]))
			break;
		at++;
	}
	*word = (TextWord){reader->at, (size_t)(at - reader->at)};
	reader->at = at;
	return word->length > 0;
}

TextWord Text_Rest(TextReader *reader)
{
	while (reader->at < reader->end && IsBlank(*reader->at))
		reader->at++;
	const char *from = reader->at, *end = from;
	for (; reader->at < reader->end && !IsLineEnd(*reader->at); reader->at++)
		if (!IsBlank(*reader->at))
			end = reader->at + 1;
	return (TextWord){from, (size_t)(end - from)};
}

bool Text_NextLine(TextReader *reader)
{
	TextWord word;
	if (reader->continues)
		while (Text_Word(reader, &word))
			;
	while (reader->at < reader->end && !IsLineEnd(*reader->at))
		reader->at++;
	if (reader->at == reader->end)
		return false;
	reader->at += LineEnd_Length(reader->at, reader->end);
	reader->line++;
	return true;
}

bool Text_AnyWord(TextReader *reader, TextWord *word)
{
	while (!Text_Word(reader, word))
		if (!Text_NextLine(reader))
			return false;
	return true;
}

bool TextWord_Is(TextWord word, const char *text)
{
	return strlen(text) == word.length && memcmp(word.at, text, word.length) == 0;
}

bool TextWord_IsNoCase(TextWord word, const char *text)
{
	if (strlen(text) != word.length)
		return false;
	for (size_t i = 0; i < word.length; i++) {
		char c = word.at[i];
		if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != text[i])
			return false;
	}
	return true;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

#define DIGITS_KEPT 19 /* as many as a uint64_t holds for certain */

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static double Number_Scale(double value, int exponent)
{
	while (exponent > 22 && value != 0.0 && IsFinite(value)) {
		value *= 1e22;
		exponent -= 22;
	}
	while (exponent < -22 && value != 0.0) {
		value /= 1e22;
		exponent += 22;
	}
	if (exponent > 22 || exponent < -22)
		return value;
	return exponent >= 0 ? value * powers[exponent] : value / powers[-exponent];
}

static bool IsDigit(char c)
{
	return c >= '0' && c <= '9';
}

/* [+-]digits; false when there are none. Stops growing far beyond any double's range. */
static bool Exponent_Read(const char **at, const char *end, int *exponent)
{
	bool negative = *at < end && **at == '-';
	if (*at < end && (**at == '-' || **at == '+'))
		++*at;
	if (*at == end || !IsDigit(**at))
		return false;
	int value = 0;
	for (; *at < end && IsDigit(**at); ++*at)
		value = value < 10000 ? 10 * value + (**at - '0') : value;
	*exponent += negative ? -value : value;
	return true;
}

double TextWord_Number(TextWord word)
{
	const double not_a_number = (double)NAN;
	const char *at = word.at, *end = word.at + word.length;
	bool negative = at < end && *at == '-', point = false;
	if (at < end && (*at == '-' || *at == '+'))
		at++;
	uint64_t digits = 0;
	int kept = 0, exponent = 0, seen = 0;
	for (; at < end && (IsDigit(*at) || (*at == '.' && !point)); at++) {
		if (*at == '.') {
			point = true;
			continue;
		}
		seen = 1;
		bool keep = kept < DIGITS_KEPT;
		if (keep)
			digits = 10 * digits + (uint64_t)(*at - '0');
		kept += keep && digits != 0;
		if (keep ? point : !point)
			exponent += (exponent < 100000 && exponent > -100000) ? (keep ? -1 : 1) : 0;
	}
	if (!seen)
		return not_a_number;
	if (at < end && (*at == 'e' || *at == 'E')) {
		at++;
		if (!Exponent_Read(&at, end, &exponent))
			return not_a_number;
	}
	double value = at == end ? Number_Scale((double)digits, exponent) : not_a_number;
	return negative ? -value : value;
}

bool TextWord_Whole(TextWord word, int64_t *value)
{
	const char *at = word.at, *end = word.at + word.length;
	bool negative = at < end && *at == '-';
	if (at < end && (*at == '-' || *at == '+'))
		at++;
	if (at == end || end - at > 18)
		return false;
	*value = 0;
	for (; at < end; at++) {
		if (!IsDigit(*at))
			return false;
		*value = 10 * *value + (*at - '0');
	}
	if (negative)
		*value = -*value;
	return true;
}
