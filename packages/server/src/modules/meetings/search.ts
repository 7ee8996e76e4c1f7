import type { meetings } from '@kontor/contract'
import type { Handlers } from '../../kernel/implement.ts'
import { requestedOrder } from '../../kernel/requested-order.ts'
import { resource } from '../../kernel/resource.ts'
import { offsetEnvelope } from '../../lib/page-links.ts'
import { findObject } from '../objects/index.ts'
import { objectName } from './recordings.ts'
import { searchSegments } from './segments/store.ts'

/** Finds what was said, in meetings that the caller may see. */
export const searchTranscripts: Handlers<typeof meetings>['searchTranscripts'] = async (
  ctx,
  { workspace, q = '', speaker = '', page, sortOrder },
) => {
  const { object, principal } = await findObject(ctx, objectName, 'read')
  const asked = {
    workspaceId: ctx.workspace.workspaceId,
    object: object.key,
    principal,
    words: q.split(/\s+/).filter(Boolean),
    speaker,
  }
  const { descending } = requestedOrder(ctx, sortOrder, { _created_at: 'id' }, { column: 'id', descending: true })
  const { rows, total } = await searchSegments(ctx.tx, { ...asked, descending }, page)
  const url = `${ctx.baseUrl}/workspaces/${workspace}/transcripts`
  return {
    body: {
      data: rows.map(({ recording_id, meeting_id, place, speaker: who, said, starts_after_ms }) =>
        resource('transcript_segment', `${recording_id}:${place}`, {
          meeting_id,
          recording_id,
          speaker: who,
          text: said,
          start_timestamp: starts_after_ms === null ? null : starts_after_ms / 1000,
        }),
      ),
      ...offsetEnvelope(url, page, total, { sortOrder, q: q || undefined, speaker: speaker || undefined }),
    },
  }
}
