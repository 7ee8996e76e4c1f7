import type { WriteContext } from '../../../kernel/implement.ts'
import type { ObjectModel } from '../../objects/index.ts'
import { findSettings } from '../../settings/index.ts'

/** Types of fields that hold phone numbers. */
const withNumbers: ReadonlySet<string> = new Set(['phone_numbers', 'participants'])

/** The country of phone numbers that name none; asked for only where some attributes, or all, may hold numbers. */
export async function countryFor(
  { tx, workspace }: Pick<WriteContext, 'tx' | 'workspace'>,
  { attributes }: ObjectModel,
  given?: readonly { readonly attributes: Readonly<Record<string, unknown>> }[],
): Promise<string | undefined> {
  const names = attributes.filter(({ type }) => withNumbers.has(type.name)).map(({ name }) => name)
  const asks =
    given === undefined ? names.length > 0 : names.some((name) => given.some((one) => name in one.attributes))
  return asks ? ((await findSettings(tx, workspace.workspaceId)).default_country ?? undefined) : undefined
}
