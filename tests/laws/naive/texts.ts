/**
 * Texts that are easily mistaken: composed and decomposed, compatible, of several cases, wildcards of SQL, quotes, our own
 * shorthand, and long ones that are cut amid a surrogate pair.
 */
export const texts: readonly string[] = [
  'a', 'A', 'ä', 'Ä', 'a\u0308', 'é', 'e\u0301', 'É', 'E\u0301', 'Zoë', 'ZOE\u0308', 'zoe',
  'ﬁ', 'fi', 'FI', 'ﬁne ﬂag', 'fine flag', '①', '1', 'Å', '\u212B', 'A\u030A', 'å', 'ａｂｃ', 'abc', 'ABC', 'K', '\u212A', 'Ω', '\u2126', 'ω', 'ŉ', 'ʼn', 'ǅ', 'ǆ', '½', '㎏', 'ﷺ', '\u1E31', 'k\u0331',
  'ß', 'ss', 'SS', 'ẞ', 'Straße', 'STRASSE', 'İ', 'i', 'I', 'ı', 'i\u0307', 'İstanbul', 'istanbul', 'ΟΔΟΣ', 'οδος', 'οδοσ', 'ΣΣ', 'ς', 'σ', 'Ὀδυσσεύς', 'ὈΔΥΣΣΕΎΣ',
  '🦊', '🦊🦊', '👩‍👩‍👧', '👍🏽', '👍', '\u{1F1E9}\u{1F1EA}', '\u{10400}', '\u{10428}', '\uFFFD', '\uE000', '日本', '日', 'العربية', '한국', '\u1112\u1161\u11AB',
  `${'x'.repeat(127)}🦊a`, `${'x'.repeat(127)}🦊b`, `${'x'.repeat(127)}🦋a`, 'x'.repeat(128), `${'x'.repeat(128)}a`, `${'X'.repeat(128)}b`, `${'e\u0301'.repeat(128)}z`, `${'é'.repeat(128)}y`, `${'🦊'.repeat(128)}x`,
  '%', '_', '\\', '100%', 'a_b', 'aXb', 'a\\b', '\\%', "'", '"', "O'Brien", '--', ';', '?', '??', '$1', ':a', '{}', '[]', '\\u0041', '\\n',
  '*', 'a*b', ',', 'a,b', 'null', '!null', '>5', '>=5', '<', '!=a', '=a', 'true', '5', '-5', '5.0',
  ' lead', 'trail ', 'a  b', 'a\tb', 'a\nb', '\u00A0', 'a\u00A0b', '\u200B', 'a\u200Bb', '\uFEFFa', '\u00ADa', 'constructor', '__proto__', 'toString',
]
