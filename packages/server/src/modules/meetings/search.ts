import { meetings } from '@kontor/contract'
import type { Handlers } from '../../kernel/implement.ts'
import { requestedOrder } from '../../kernel/requested-order.ts'
import { cursorPages } from '../../kernel/short-page.ts'
import { resource } from '../../kernel/resource.ts'
import { findObject } from '../objects/index.ts'
import { objectName } from './recordings.ts'
import { searchSegments } from './segments/store.ts'

/** Finds what was said, in meetings that the caller may see. */
export const searchTranscripts: Handlers<typeof meetings>['searchTranscripts'] = async (ctx, input) => {
  const { q = '', speaker = '', sortOrder } = input
  const { object, principal } = await findObject(ctx, objectName, 'read')
  const asked = {
    workspaceId: ctx.workspace.workspaceId,
    object: object.key,
    principal,
    words: q.split(/\s+/).filter(Boolean),
    speaker,
  }
  const order = requestedOrder(ctx, sortOrder, { _created_at: 'place' }, { column: 'place', descending: true })
  const pages = cursorPages(ctx, meetings.searchTranscripts, input, order)
  const { found, total } = await searchSegments(ctx.tx, { ...asked, descending: order.descending }, pages.part)
  const { rows, ...envelope } = pages.envelope(found, total, ({ place, recording_id }) => ({
    value: place,
    id: recording_id,
  }))
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
      ...envelope,
    },
  }
}
