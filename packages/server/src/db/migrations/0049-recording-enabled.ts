import type { Migration, Words } from './words.ts'

const property = `-> 'properties' -> 'recording_enabled'`

/** A field that is true or false and nothing else, its members in their order. */
const withDefault = (field: string): string => `(
  select json_object_agg(k.key, case k.key when 'type' then '"boolean"'::json else k.value end)
  from (select key, value from json_each(${field}) union all select 'default', 'false'::json) as k)`

/** A document with that field, its members in their order. */
const withField = (column: string): string => `(
  select json_object_agg(d.key, case d.key
    when 'properties' then (select json_object_agg(p.key, case p.key
      when 'recording_enabled' then ${withDefault('p.value')} else p.value end) from json_each(d.value) as p)
    when 'required' then (d.value::jsonb || '["recording_enabled"]')::json
    else d.value end)
  from (select key, value from json_each(${column})
    union all select 'required', '[]'::json where ${column} -> 'required' is null) as d)`

const documentOf = ({ dialect }: Words, column: string): string =>
  dialect === 'postgres'
    ? withField(column)
    : `json_insert(json_insert(json_insert(json_set(${column}, '$.properties.recording_enabled.type', 'boolean'), ` +
      `'$.properties.recording_enabled.default', json('false')), '$.required', json('[]')), ` +
      `'$.required[#]', 'recording_enabled')`

const changed = (words: Words, table: string, column: string): string =>
  `update ${table} set ${column} = ${documentOf(words, column)}
   where object = 'meeting' and ${column} ${property} is not null and ${column} ${property} -> 'default' is null`

const switchedOff = ({ dialect }: Words): string =>
  dialect === 'postgres'
    ? `data || '{"recording_enabled":false}'`
    : `json_set(data, '$.recording_enabled', json('false'))`

const values = (words: Words): string =>
  `update record set data = ${switchedOff(words)} where object = 'meeting' and data ->> 'recording_enabled' is null`

/** The switch of a meeting that nobody has touched is off, as it is answered, filtered and sorted. */
export const migration: Migration = {
  name: '0049-recording-enabled',
  up: (words) => [
    changed(words, 'schema_version', 'document'),
    changed(words, 'schema_target', 'target'),
    values(words),
    `update field_number set is_null = 0, number_value = 0 where field = 'meeting.recording_enabled' and is_null = 1`,
  ],
  // What it has written is right without it too.
  down: () => [],
}
