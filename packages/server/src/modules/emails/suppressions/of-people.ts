import { attachedRows, type Dependent } from '../../records/index.ts'

/**
 * Suppressions as dependents of people: a merged person stays suppressed as the one that they live on in. Those of a
 * person who is deleted for good keep their address, since the wish does not go with the record (0172).
 */
export const suppressionsOfPeople: Dependent = {
  ...attachedRows({ table: 'suppression', column: 'person_id', path: 'suppressions' }),

  purge: (tx, workspaceId, personIds, rowsMax) =>
    tx.change(({ knex, dialect }) => {
      const some = knex('suppression')
        .select('id')
        .where('workspace_id', workspaceId)
        .where(dialect.oneOf('person_id', personIds))
        .limit(rowsMax)
      return knex('suppression').where('workspace_id', workspaceId).whereIn('id', some).update({ person_id: null })
    }),
}
