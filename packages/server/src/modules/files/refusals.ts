import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import type { Arrival } from './uploads.ts'

type Context = WorkspaceReadContext<'payload_too_large'>

/** The failure of a file that is larger than the storage takes. */
export const tooLarge = (ctx: Context, bytesMax: number) =>
  ctx.fail('payload_too_large', {
    detail: `A file can have at most ${bytesMax} bytes.`,
    meta: { limit_bytes: bytesMax },
  })

/** The failure of an upload that has not arrived, or is too large; undefined for any other. `pointer` names its id. */
export function arrivalFailure(ctx: Context, arrival: Arrival, bytesMax: number, pointer: string) {
  if (arrival === 'too large') return tooLarge(ctx, bytesMax)
  if (arrival !== 'missing') return undefined
  const detail = 'Nothing has been uploaded yet: send the bytes to the signed URL first.'
  return ctx.fail('invalid_body', { detail, source: { pointer } })
}
