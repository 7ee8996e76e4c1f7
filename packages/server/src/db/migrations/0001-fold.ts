import type { Migration } from './words.ts'

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

export const migration: Migration = {
  name: '0001-fold',
  up: ({ dialect }) => (dialect === 'postgres' ? [requirements, fold] : []),
  down: ({ dialect }) => (dialect === 'postgres' ? ['drop function kontor_fold(text)'] : []),
}
