import type { Migration, Words } from './words.ts'

/** As of version 1 of the built-in meeting. */
const field = JSON.stringify({
  type: 'string',
  title: 'Visibility',
  description:
    'Who may see the meeting: `default` what access to meetings says, `private` its owner and those it is ' +
    'shared with, `workspace` every member at least.',
  xSvcType: 'select',
  enum: ['default', 'private', 'workspace'],
  default: 'default',
})

/** A document with the field, its members in their order. */
const withField = (column: string): string => `(
  select json_object_agg(d.key, case d.key
    when 'properties' then (select json_object_agg(p.key, p.value)
      from (select key, value from json_each(d.value) union all select 'visibility', '${field}'::json) as p)
    when 'required' then (d.value::jsonb || '["visibility"]')::json
    else d.value end)
  from (select key, value from json_each(${column})
    union all select 'required', '[]'::json where ${column} -> 'required' is null) as d)`

const documentOf = ({ dialect }: Words, column: string): string =>
  dialect === 'postgres'
    ? withField(column)
    : `json_insert(json_insert(json_insert(${column}, '$.properties.visibility', json('${field}')), ` +
      `'$.required', json('[]')), '$.required[#]', 'visibility')`

const keysOf = ({ dialect }: Words, column: string): string => {
  const key = '{"key":"visibility"}'
  const added =
    dialect === 'postgres'
      ? `jsonb_set(${column}::jsonb, '{fields,visibility}', '${key}')::json`
      : `json_insert(${column}, '$.fields.visibility', json('${key}'))`
  return `case when ${column} ->> 'object' is null then ${column} else ${added} end`
}

/** Where a workspace has a field of that name of its own, it keeps that one. */
const changed = (words: Words, table: string, document: string, keys: string): string =>
  `update ${table} set ${document} = ${documentOf(words, document)}, ${keys} = ${keysOf(words, keys)}
   where object = 'meeting' and ${document} -> 'properties' -> 'visibility' is null`

const values = ({ dialect }: Words): string =>
  'update record set data = ' +
  `${dialect === 'postgres' ? `data || '{"visibility":"default"}'` : `json_insert(data, '$.visibility', 'default')`} ` +
  `where object = 'meeting'`

export const migration: Migration = {
  name: '0023-visibility',
  up: (words) => [
    changed(words, 'schema_version', 'document', 'keys'),
    changed(words, 'schema_target', 'target', 'target_keys'),
    values(words),
    // Those who own what is private find it by this; there is little of it.
    'create index record_private on record (workspace_id, object, owner_id) where visibility = -1 and ' +
      'deleted_at is null',
  ],
  down: () => ['drop index record_private'],
}
