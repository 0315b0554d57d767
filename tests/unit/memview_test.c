/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of memview that need no terminal: actions, key names, settings, layout, markers, prompt, sources. */
#include <string.h>

#include "memview/actions.h"
#include "memview/keys.h"
#include "memview/layout.h"
#include "memview/markers.h"
#include "memview/prompt.h"
#include "memview/input.h"
#include "memview/key_names.h"
#include "memview/settings.h"
#include "tests/tap.h"

static void test_actions(void)
{
	int count, twice = 0;
	const struct action_row *rows = actions_table(&count);

	for (int i = 0; i < count; i++) {
		for (int k = 0; k < 3; k++) {
			if (rows[i].codes[k] && actions_find(rows[i].codes[k]) != rows[i].action)
				twice++;
		}
	}
	ok(twice == 0, "no key stands for two actions");
	ok(actions_find('\\') == ACTION_GROUP, "a key is found");
	ok(actions_find('%') == ACTION_NONE && actions_find(KEYS_NONE) == ACTION_NONE, "others are not");
}

/* What the table writes of an action's keys is the names of their codes. */
static bool row_is_named(const struct action_row *row)
{
	char keys[64], *rest = keys;
	int named = 0;

	snprintf(keys, sizeof(keys), "%s", row->keys);
	for (char *key = strtok_r(keys, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
		if (actions_find(key_named(key)) != row->action)
			return false;
		named++;
	}
	return named > 0;
}

static void test_key_names(void)
{
	static const char *const none[] = { "", "NoKey", "Ctrl-", "Ctrl-c", "Ctrl-z", "Ctrl-ab", "F0", "F13", "F1x",
					    "ab", "\377", "\302", "\302\233", "\033", "\n" };
	int count, bad = 0;
	const struct action_row *rows = actions_table(&count);
	char name[KEY_NAME_MAX];

	for (int i = 0; i < count; i++)
		bad += !row_is_named(&rows[i]);
	ok(bad == 0, "the table's words are names of its keys");
	for (int code = 1; code < KEYS_F12 + 10; code += code > 0x3000 && code < 0x10fff0 ? 37 : 1) {
		key_name(code, name);
		if (*name && key_named(name) != KEYS_NONE && key_named(name) != code)
			bad++;
	}
	ok(bad == 0, "a name leads back to its key");
	ok(key_named("pgup") == KEYS_PAGE_UP && key_named("CTRL-B") == 2, "in any case");
	ok(key_named("a") == 'a' && key_named("A") == 'A', "but for letters");
	ok(key_named("\303\244") == 0xe4 && key_named("F12") == KEYS_F12, "of any kind");
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		bad += key_named(none[i]) != KEYS_NONE;
	ok(bad == 0, "others are none");
}

/* The problems of a text. */
static size_t problems(struct settings *settings, const char *text)
{
	memset(settings, 0, sizeof(*settings));
	settings->terminal.mouse = true;
	settings_parse(settings, "config", text, strlen(text));
	return settings->problem_count;
}

/* Last: they change the table. */
static void test_settings(void)
{
	struct settings s;
	int count;

	ok(problems(&s, "") == 0 && s.terminal.mouse, "nothing changes nothing");
	settings_release(&s);
	ok(problems(&s, "color leak = red on 17 bold bold dim reverse underline\nmouse=off") == 0 &&
	   s.terminal.looks[STYLE_LEAK].given && s.terminal.looks[STYLE_LEAK].front == 1 &&
	   s.terminal.looks[STYLE_LEAK].back == 17 && strcmp(s.terminal.looks[STYLE_LEAK].attributes, "bdru") == 0 &&
	   !s.terminal.mouse, "a colour and the mouse");
	settings_release(&s);
	ok(problems(&s, "key quit = \nkey search = q Esc\nkey quit = x\nkey search = x") == 3, "quit always has a key");
	ok(actions_find('x') == ACTION_QUIT && actions_find('q') == ACTION_NONE, "it has another one now");
	settings_release(&s);
	ok(problems(&s, "key up = a b c\nkey down = b") == 0 && actions_find('b') == ACTION_DOWN &&
	   actions_find('a') == ACTION_UP && strcmp(actions_table(&count)[0].keys, "a c") == 0, "keys move");
	settings_release(&s);
	ok(problems(&s, "key a b c d e f g h i j k l m n o p q r s t u v w x y z\n= = =\n\0\nkey") == 2,
	   "many words are no trouble");
	settings_release(&s);
}

/* All areas lie inside the screen, one below the other. */
static bool layout_holds(int rows, int columns, bool timeline, enum pane focus, int threads)
{
	struct layout l;
	const struct area *list = &l.pane[PANE_LIST], *detail = &l.pane[PANE_DETAIL];
	const struct area *below = &l.pane[PANE_THREADS];

	layout_make(&l, rows, columns, timeline, focus, threads);
	return !l.too_small && list->row == l.rule + 1 && list->rows >= 4 && detail->rows == list->rows &&
	       list->columns == l.divide && detail->column == l.divide + 1 &&
	       detail->column + detail->columns == columns && detail->columns >= 20 &&
	       list->columns >= 20 && l.second_rule == list->row + list->rows &&
	       below->row == l.second_rule + 1 && below->rows >= 2 &&
	       below->row + below->rows == l.keys && l.keys == rows - 1;
}

static void test_layout(void)
{
	struct layout l;
	int bad = 0;

	for (int rows = LAYOUT_ROWS_MIN; rows <= 200; rows++) {
		for (int columns = LAYOUT_COLUMNS_MIN; columns <= 500; columns += 7) {
			for (int v = 0; v < 12; v++)
				bad += !layout_holds(rows, columns, v & 1, (enum pane)(v / 2 % 3), v * v);
		}
	}
	ok(bad == 0, "every size from 60x15 to 500x200 has a layout");
	layout_make(&l, 24, 80, true, PANE_LIST, 1);
	layout_widen(&l);
	ok(l.pane[PANE_LIST].columns == 80 && l.divide == 80 && l.pane[PANE_DETAIL].columns == 0,
	   "a wide view takes the detail pane's room");
	layout_make(&l, 14, 80, true, PANE_LIST, 1);
	ok(l.too_small, "14 rows are too few");
	layout_make(&l, 15, 59, true, PANE_LIST, 1);
	ok(l.too_small, "59 columns are too few");
}

static void test_markers(void)
{
	struct markers m = { .set = { false } };
	uint64_t at = 0;

	for (int i = 1; i <= 9; i++)
		ok(markers_add(&m, (uint64_t)i * 100) == i, "marker %d", i);
	ok(markers_add(&m, 5) == 0, "a tenth is refused");
	ok(markers_near(&m, 349, -1, 50, &at) == 3 && at == 300, "the nearest before");
	ok(markers_near(&m, 351, 1, 50, &at) == 4 && at == 400, "the nearest after");
	ok(markers_near(&m, 300, -1, 0, &at) == 3 && markers_near(&m, 300, 1, 0, &at) == 3, "or at");
	ok(markers_near(&m, 380, -1, 50, &at) == 0, "but not too far");
	ok(markers_remove(&m, 260) == 3, "the nearest goes");
	ok(markers_add(&m, 1) == 3, "and its number is free again");
}

static void type(struct prompt *p, const char *keys)
{
	for (; *keys; keys++)
		prompt_key(p, (unsigned char)*keys);
}

static void test_prompt(void)
{
	struct prompt p;

	prompt_ask(&p, "?", "ab");
	prompt_key(&p, KEYS_END);
	type(&p, "c");
	prompt_key(&p, KEYS_LEFT);
	prompt_key(&p, 0xe9);
	ok(strcmp(p.text, "ab\303\251c") == 0, "text is inserted at the cursor, as UTF-8");
	prompt_key(&p, KEYS_BACKSPACE);
	ok(strcmp(p.text, "abc") == 0, "a character goes whole");
	prompt_key(&p, KEYS_HOME);
	prompt_key(&p, KEYS_DELETE);
	ok(strcmp(p.text, "bc") == 0, "and forwards");
	prompt_key(&p, KEYS_CTRL('u'));
	prompt_key(&p, KEYS_CTRL('k'));
	ok(strcmp(p.text, "c") == 0 || !*p.text, "and the line");
	for (int i = 0; i < 3000; i++)
		prompt_key(&p, 0x6f22);
	ok(p.length < PROMPT_MAX && strlen(p.text) == p.length, "it has an end");
	ok(prompt_key(&p, KEYS_ENTER) == PROMPT_DONE, "Enter");
	ok(prompt_key(&p, KEYS_ESCAPE) == PROMPT_GIVEN_UP, "Esc");
}

/* The text an old answer becomes by some keys. */
static bool becomes(const char *keys, const char *text)
{
	struct prompt p;

	prompt_ask(&p, "?", "0.003");
	type(&p, keys);
	return strcmp(p.text, text) == 0 && p.length == strlen(text) && p.cursor <= p.length;
}

static void test_prompt_selected(void)
{
	struct prompt p;

	prompt_ask(&p, "?", "old");
	ok(prompt_key(&p, KEYS_ENTER) == PROMPT_DONE && strcmp(p.text, "old") == 0, "Enter keeps an old answer");
	ok(becomes("0", "0"), "a character replaces it");
	ok(becomes("12", "12"), "but only the first");
	ok(becomes("\025", ""), "Ctrl-u empties it");
	ok(becomes("\001", "0.003") && becomes("\0011", "10.003"), "a movement starts to edit it");
	prompt_ask(&p, "?", "old");
	prompt_key(&p, KEYS_BACKSPACE);
	ok(p.length == 0 && !*p.text, "Backspace empties it");
	type(&p, "new");
	prompt_key(&p, KEYS_BACKSPACE);
	ok(strcmp(p.text, "ne") == 0, "and then erases one at a time");
}

static void test_inputs(void)
{
	static const struct {
		const char *where;
		bool is_socket;
	} cases[] = {
		{ ":4242", true }, { "host:4242", true }, { "[::1]:4242", true }, { "1.2.3.4:1", true },
		{ "run.log", false }, { "a:b", false }, { "./x:1", false }, { "-", false }, { ":", false },
		{ "host:", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(input_is_socket(cases[i].where) == cases[i].is_socket, "%s is %s", cases[i].where,
		   cases[i].is_socket ? "a socket" : "a file");
}

int main(void)
{
	test_actions();
	test_layout();
	test_markers();
	test_prompt();
	test_prompt_selected();
	test_inputs();
	test_key_names();
	test_settings();
	return done_testing();
}
