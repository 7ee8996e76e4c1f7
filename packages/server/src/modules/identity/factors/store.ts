import type { RowOf } from '../../../db/columns.ts'
import { rowsOf, readColumn } from '../../../db/rows.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'

export type SecondFactorRow = RowOf<'second_factor'>

const factorColumns = ['user_id', 'sealed_secret', 'sealed_with', 'last_step', 'created_at'] as const

const factors = rowsOf<SecondFactorRow>('second_factor', factorColumns)

const codesOf = statement<{ user_id: string }, { total: number }>(({ knex }) =>
  knex('recovery_code').count('* as total').where('user_id', param('user_id')),
)

const useStep = statement<{ user_id: string; last_step: number; used: number }, never>(({ knex }) =>
  knex('second_factor')
    .update({ last_step: param('last_step') })
    .where('user_id', param('user_id'))
    .where('last_step', '<', param('used')),
)

export const findFactor = factors.find('user_id')

/** Returns whether the user had no second factor before. */
export const insertFactor = factors.insertNew

/** Notes the time step of a code; returns false if a code of that step or a later one was used before. */
export const updateStep = async (tx: Tx, userId: string, step: number): Promise<boolean> =>
  (await tx.run(useStep, { user_id: userId, last_step: step, used: step })) === 1

export const updateSealed = factors.update('user_id')

export const countCodes = async (tx: ReadTx, userId: string): Promise<number> =>
  (await tx.first(codesOf, { user_id: userId }))?.total ?? 0

export async function replaceCodes(tx: Tx, userId: string, hashes: readonly string[]): Promise<void> {
  await deleteCodes(tx, userId)
  await tx.insert(
    'recovery_code',
    hashes.map((code_hash) => ({ user_id: userId, code_hash })),
  )
}

/** Returns whether the code was still there. */
export const deleteCode = async (tx: Tx, userId: string, codeHash: string): Promise<boolean> =>
  (await tx.deleteReturning('recovery_code', [{ user_id: userId, code_hash: codeHash }], ['code_hash'])).length === 1

const deleteCodes = (tx: Tx, userId: string): Promise<number> =>
  tx.change(({ knex }) => knex('recovery_code').where('user_id', userId).delete())

/** Returns whether there was one. */
export async function deleteFactor(tx: Tx, userId: string): Promise<boolean> {
  await deleteCodes(tx, userId)
  return (await tx.deleteReturning('second_factor', [{ user_id: userId }], ['user_id'])).length === 1
}

/** Returns those of some users who have a second factor. */
export const listWithFactor = async (tx: ReadTx, userIds: readonly string[]): Promise<ReadonlySet<string>> => {
  return new Set(
    await readColumn(tx, ({ knex }) => knex('second_factor').select('user_id').whereIn('user_id', userIds)),
  )
}

/** Rows encrypted anew in one batch. */
const batchMax = 100

export const listSealedByOthers = (tx: ReadTx, keyId: string): Promise<SecondFactorRow[]> =>
  tx.query(({ knex }) =>
    knex('second_factor')
      .select(...factorColumns)
      .whereNot('sealed_with', keyId)
      .orderBy('user_id')
      .limit(batchMax),
  )
