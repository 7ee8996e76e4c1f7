import { Failure } from '../../kernel/errors.ts'
import type { FindPlaced } from '../attachments/index.ts'
import type { LetterFile } from '../emails/index.ts'
import { StepFailure, type BlockContext } from '../plugins/index.ts'

/** Base64 makes a third more of them; most mail servers take 25 MiB. */
const bytesMax = 15 * 1024 * 1024

/** The files of some attachments, as far as the sender of the letter may read them now. */
export async function attachedFiles(
  { call, workspace }: Pick<BlockContext, 'call' | 'workspace'>,
  findPlaced: FindPlaced,
  ids: readonly string[],
): Promise<LetterFile[]> {
  const files: LetterFile[] = []
  for (const id of ids) {
    const found = await findPlaced(workspace.id, id)
    if (found === undefined) throw missing(id)
    const { object, record_id, name, mime_type, size_bytes } = found
    await call('attachments.get', { workspace: workspace.slug, object, id: record_id, attachmentId: id }).catch(
      (error: unknown) => {
        throw error instanceof Failure && (error.status === 403 || error.status === 404) ? missing(id) : error
      },
    )
    files.push({ id, name, mime_type, size_bytes: size_bytes ?? 0 })
  }
  if (files.reduce((sum, { size_bytes: bytes }) => sum + bytes, 0) > bytesMax)
    throw new StepFailure('attachments_too_large', `The attachments of an e-mail can have at most ${bytesMax} bytes.`)
  return files
}

const missing = (id: string): StepFailure =>
  new StepFailure('attachment_not_found', `There is no attachment ${id} that the owner of this workflow may read.`)
