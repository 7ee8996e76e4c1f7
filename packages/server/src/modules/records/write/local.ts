import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { isZoneless } from '../../fields/index.ts'
import type { ObjectModel } from '../../objects/index.ts'
import { findSettings } from '../../settings/index.ts'

/** Types of fields that hold phone numbers. */
const withNumbers: ReadonlySet<string> = new Set(['phone_numbers', 'participants'])

type SentRecord = { readonly attributes: Readonly<Record<string, unknown>> }

type Local = { readonly country?: string | undefined; readonly timeZone?: string | undefined }

/**
 * What the workspace says of values that do not say it themselves: the country of phone numbers and the zone of times;
 * asked for only where some attributes, or all, may have such values.
 */
export async function localFor(
  { tx, workspace }: Pick<WorkspaceReadContext, 'tx' | 'workspace'>,
  { attributes }: ObjectModel,
  given?: readonly SentRecord[],
): Promise<Local> {
  const asks = attributes.some(({ name, type }) =>
    withNumbers.has(type.name)
      ? (given?.some((one) => name in one.attributes) ?? true)
      : type.name === 'timestamp' && given?.some((one) => isZoneless(one.attributes[name])) === true,
  )
  if (!asks) return {}
  const { default_country, time_zone } = await findSettings(tx, workspace.workspaceId)
  return { country: default_country ?? undefined, timeZone: time_zone }
}
