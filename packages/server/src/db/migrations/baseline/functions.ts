import { gatherStatistics, workspacesIn } from '../spread-queries.ts'
import type { Words } from '../words.ts'

const notBuilt = 'built with ICU (the collation "und-x-icu" is missing), to compare texts without regard to case'

/** Says in a sentence what a database lacks, instead of failing on the first statement that needs it. */
const requirements = `
do $$
begin
  if getdatabaseencoding() <> 'UTF8' then
    raise exception 'Kontor needs a Postgres database with the encoding UTF8; this one has %', getdatabaseencoding();
  end if;
  if not exists (select from pg_collation where collname = 'und-x-icu') then
    raise exception 'Kontor needs a Postgres that is ${notBuilt}';
  end if;
end
$$`

/**
 * `fold()` of db/fold.ts for Postgres; SQLite calls the original. The first two cases are there for speed: 0.28 µs
 * for a name in ASCII and 2.3 µs for another, against 4.3 µs for the last case alone. Not `strict`, since then
 * Postgres would not inline it; null comes out as null by itself.
 */
const fold = `
create function kontor_fold(given text) returns text language sql immutable parallel safe
return case
  when octet_length(given) = length(given) then lower(given collate "C")
  when given is nfkc normalized and lower(given collate "und-x-icu") is nfc normalized
    then replace(lower(given collate "und-x-icu"), 'ς', 'σ') collate "C"
  else normalize(replace(lower(normalize(given, NFKC) collate "und-x-icu"), 'ς', 'σ'), NFC) collate "C"
end`

/**
 * Marks a change as open, then reads the watermark: in this order, each seeing what is committed by then. One call
 * instead of two statements: 3 instead of 10% of the time of a create.
 */
export const beginChange = `
create function kontor_begin_change(workspace uuid, key bigint) returns bigint language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(key);
  return (select told_until from horizon where workspace_id = workspace);
end
$$`

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

/** `phoneForm()` of db/fold.ts for Postgres; SQLite calls the original. */
const phone = `
create function kontor_phone(given text) returns text language sql immutable parallel safe
return E'\\n' || replace(kontor_fold(given), E'\\n', ' ') || E'\\n ' || ${spellings} || ' '`

/** Functions of Postgres; SQLite calls those of the server. */
export const functions = ({ dialect }: Words): string[] =>
  dialect === 'postgres' ? [requirements, fold, beginChange, phone, workspacesIn.plain, gatherStatistics.plain] : []

/** Those of a distributed database too (db/distribution). */
export const droppedFunctions = ({ dialect }: Words): string[] =>
  dialect === 'postgres'
    ? [
        'drop function if exists kontor_workspaces_here(text)',
        'drop function kontor_workspaces_in(text)',
        'drop function kontor_gather_statistics(text, uuid)',
        'drop function kontor_phone(text)',
        'drop function kontor_begin_change(uuid, bigint)',
        'drop function kontor_fold(text)',
      ]
    : []
