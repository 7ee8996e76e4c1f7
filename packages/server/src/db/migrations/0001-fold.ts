import type { Migration } from './words.ts'

/** Says in a sentence what a database lacks, instead of failing on the first statement that needs it. */
const requirements = `
do $$
begin
  if getdatabaseencoding() <> 'UTF8' then
    raise exception 'Kontor needs a Postgres database with the encoding UTF8; this one has %', getdatabaseencoding();
  end if;
  if not exists (select from pg_collation where collname = 'und-x-icu') then
    raise exception 'Kontor needs a Postgres that is built with ICU (the collation "und-x-icu" is missing), to compare texts without regard to case';
  end if;
end
$$`

/** `fold()` of db/fold.ts for Postgres; SQLite calls the original. */
const fold = `
create function kontor_fold(given text) returns text language sql immutable strict parallel safe
return lower(normalize(given, NFKC) collate "und-x-icu") collate "C"`

export const migration: Migration = {
  name: '0001-fold',
  up: ({ dialect }) => (dialect === 'postgres' ? [requirements, fold] : []),
  down: ({ dialect }) => (dialect === 'postgres' ? ['drop function kontor_fold(text)'] : []),
}
