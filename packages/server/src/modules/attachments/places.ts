import type { ReadTx } from '../../db/tx.ts'
import { isId } from '../../kernel/ids.ts'
import type { SchemaSets } from '../schemas/index.ts'
import { findAnywhere, type AttachmentRow } from './store.ts'

/** An attachment, and the name of the object whose record it hangs on. */
type PlacedAttachment = AttachmentRow & { readonly object: string }

/** Finds an attachment by its id alone, and checks no rights: its caller does. */
export type FindPlaced = (workspaceId: string, id: string) => Promise<PlacedAttachment | undefined>

export const placedAttachments =
  (reader: ReadTx, schemaSets: SchemaSets): FindPlaced =>
  async (workspaceId, id) => {
    const found = isId(id) ? await findAnywhere(reader, workspaceId, id) : undefined
    if (found === undefined) return undefined
    const { schemas } = await schemaSets.readCurrent(reader, workspaceId)
    const [object] = [...schemas].find(([, { keys }]) => keys.object === found.object_key) ?? []
    return object === undefined ? undefined : { ...found, object }
  }
