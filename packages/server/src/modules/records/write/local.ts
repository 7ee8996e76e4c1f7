import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { isZoneless } from '../../fields/index.ts'
import type { ObjectModel } from '../../objects/index.ts'
import { findSettings } from '../../settings/index.ts'

/** Types of fields that hold phone numbers. */
const withNumbers: ReadonlySet<string> = new Set(['phone_numbers', 'participants'])

type SentRecord = { readonly attributes: Readonly<Record<string, unknown>> }

type Local = { readonly country?: string | undefined; readonly timeZone?: string | undefined }

/**
 * Returns what values do not say themselves: the country of phone numbers, which a request may name, and the zone of
 * times. The settings of the workspace are read only where some attributes, or all, may have such values.
 */
export async function localFor(
  { tx, workspace }: Pick<WorkspaceReadContext, 'tx' | 'workspace'>,
  { attributes }: ObjectModel,
  given?: readonly SentRecord[],
  country?: string,
): Promise<Local> {
  const asks = attributes.some(({ name, type }) =>
    withNumbers.has(type.name)
      ? (given?.some((one) => name in one.attributes) ?? true)
      : type.name === 'timestamp' && given?.some((one) => isZoneless(one.attributes[name])) === true,
  )
  if (!asks) return {}
  const { default_country, time_zone } = await findSettings(tx, workspace.workspaceId)
  return { country: country ?? default_country ?? undefined, timeZone: time_zone }
}
