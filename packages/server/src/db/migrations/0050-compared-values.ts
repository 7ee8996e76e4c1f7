import type { Migration, Words } from './words.ts'

const between =
  "[ \\t\\n\\r\\f\\v./_*''’·•|\\-\\u00ad\\u200b-\\u200f" +
  '\\u2010-\\u2015\\u2028-\\u202e\\u2060-\\u206f\\u2212\\u30fc\\ufeff]'
const callingCode =
  '1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-689]|3[578]|42|5[09]|6[7-9]|8[035789]|9[679])[0-9]'

const replacements: readonly (readonly [pattern: string, replacement: string])[] = [
  ['^tel:', ''],
  [between, ''],
  ['(\\+|00)([0-9]{1,3})[([]0[)\\]]', '\\1\\2'],
  ['[()[\\]]', ''],
  ['([0-9])(;ext=|extension:?|ext:?|int|x:?|#|~|,|;)([0-9]{1,7})(?![0-9])', '\\1X\\3'],
  ['[^0-9+X]+', ' '],
  ['\\+(?![0-9])', ' '],
  ['\\+', ' +'],
  ['(^| )00([1-9])', '\\1+\\2'],
  [`\\+(${callingCode})([0-9]+(X[0-9]+)?)`, '+\\1\\2 00\\1\\2 \\1\\2 0\\2 \\2'],
  ['\\+(7|36)([0-9]+(X[0-9]+)?)', '+\\1\\2 8\\2 06\\2'],
]

const spellings = replacements.reduce(
  (text, [pattern, replacement]) => `regexp_replace(${text}, '${pattern}', '${replacement}', 'g')`,
  `translate(kontor_fold(given), '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', '01234567890123456789')`,
)

/** `phoneForm()` of db/phone-form.ts for Postgres; SQLite calls the original. */
const phone = `
create function kontor_phone(given text) returns text language sql immutable parallel safe
return E'\\n' || replace(kontor_fold(given), E'\\n', ' ') || E'\\n ' || ${spellings} || ' '`

/** Objects that have a field of phone numbers, or had one. */
const withPhones = ({ dialect }: Words, object: string, workspaceId: string): string =>
  `exists (select 1 from schema_version as v where v.workspace_id = ${workspaceId} and ${object}
     and ${dialect === 'postgres' ? 'v.document::text' : 'v.document'} like '%phone_number%')`

/** Trigrams of these objects are built again on demand: that is quicker than reading every record now. */
const dropped = (words: Words): string[] => [
  `delete from field_index_state where kind = 'grams'
     and ${withPhones(words, 'v.object = field_index_state.object', 'field_index_state.workspace_id')}`,
  `delete from field_gram where ${withPhones(
    words,
    "substr(field_gram.field, 1, length(v.object) + 1) = v.object || '.'",
    'field_gram.workspace_id',
  )}`,
]

const payload = {
  postgres: "jsonb_build_object('object', object, 'first', false, 'waiting', null)",
  sqlite: "json_object('object', object, 'first', json('false'), 'waiting', null)",
}

/** The search documents get the other spellings in the background; until then, records are found as before. */
const rebuilt = ({ dialect, freshId, now: time }: Words): string =>
  `insert into job (workspace_id, id, kind, job_key, payload, run_at, scheduled_at, attempt, failures, created_at)
    select workspace_id, ${freshId}, 'records.documents', null, ${payload[dialect]}, now, now, 0, 0, now
    from (
      select distinct v.workspace_id, v.object from schema_version as v
      where ${dialect === 'postgres' ? 'v.document::text' : 'v.document'} like '%phone_number%'
        or ${dialect === 'postgres' ? 'v.document::text' : 'v.document'} like '%participants%'
    ) as present
    cross join (select ${time} as now) as time`

/** What is invisible at the ends of texts that people paste: white space, zero width, direction marks. */
const invisible = [
  [9, 10, 11, 12, 13, 32, 0x85, 0xa0, 0xad, 0x34f, 0x61c, 0x1680, 0x180e, 0x202f, 0x205f, 0x2800, 0x3000, 0xfeff],
  Array.from({ length: 16 }, (_, index) => 0x2000 + index),
  Array.from({ length: 7 }, (_, index) => 0x2028 + index),
  Array.from({ length: 16 }, (_, index) => 0x2060 + index),
  Array.from({ length: 16 }, (_, index) => 0xfe00 + index),
].flat()

/** Returns whether a claim that goes by this name is one of the same field. */
const ofSameField = (name: string): string =>
  `${name}.workspace_id = unique_key.workspace_id and ${name}.field = unique_key.field`

/**
 * Unique values are claimed without what is invisible at their ends. Where several records have values that differ in
 * nothing else, the first keeps the claim, and the others those that they have. Claims of long values are hashes.
 */
function trimmed({ dialect }: Words): string {
  const signs = String.fromCodePoint(...invisible)
  const visible = (column: string): string =>
    dialect === 'postgres' ? `btrim(${column}, '${signs}')` : `trim(${column}, '${signs}')`
  return `update unique_key set key_value = ${visible('key_value')}
    where key_value <> ${visible('key_value')} and length(key_value) <= 200
      and not exists (select 1 from unique_key as held where ${ofSameField('held')}
        and held.key_value = ${visible('unique_key.key_value')})
      and not exists (select 1 from unique_key as other where ${ofSameField('other')}
        and ${visible('other.key_value')} = ${visible('unique_key.key_value')}
        and other.key_value < unique_key.key_value)`
}

/** Phone numbers are compared by their digits, in each usual spelling; unique values by what is seen of them. */
export const migration: Migration = {
  name: '0050-compared-values',
  up: (words) => [...(words.dialect === 'postgres' ? [phone] : []), ...dropped(words), rebuilt(words), trimmed(words)],
  // Claims stay as they are: they hold what the values of before hold, and more.
  down: (words) => [...dropped(words), ...(words.dialect === 'postgres' ? ['drop function kontor_phone(text)'] : [])],
}
