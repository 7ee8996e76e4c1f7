import { IANAZone } from 'luxon'
import type { ReadTx } from '../../../db/tx.ts'
import { isString } from '../../../lib/guards.ts'
import { compileObject, findRecord } from '../../objects/index.ts'
import type { SchemaSets } from '../../schemas/index.ts'

/** Finds the time zone of a person; undefined where they have none. */
export type FindZone = (tx: ReadTx, workspaceId: string, personId: string) => Promise<string | undefined>

/** Finds it in the field `time_zone`, which a workspace may add to its people. */
export const zonesOfPeople =
  (schemaSets: SchemaSets): FindZone =>
  async (tx, workspaceId, personId) => {
    const { schemas } = await schemaSets.readCurrent(tx, workspaceId)
    const schema = schemas.get('person')
    const person = schema && compileObject(schema)
    const field = person?.fields.get('time_zone')
    if (person === undefined || field === undefined) return undefined
    const record = await findRecord(tx, workspaceId, person.key, personId)
    const zone = record?.data[field.key]
    return isString(zone) && IANAZone.isValidZone(zone) ? zone : undefined
  }
