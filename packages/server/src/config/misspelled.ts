import { editDistance } from '@kontor/contract'

/** An environment variable that is no setting, and the setting that it most likely means. */
export type Misspelled = { readonly name: string; readonly meant: string | undefined }

/** Shorter names resemble too many others, so they may differ by one letter at most. */
const longNameCharacters = 7

const prefix = 'KONTOR_'

/**
 * Variables that look like settings but are none: those with Kontor's prefix, and those one or two letters away from a
 * setting. `known` are all names that Kontor reads.
 */
export function misspelledSettings(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): Misspelled[] {
  // On Windows, names are case-insensitive.
  const names = new Set(known)
  return Object.keys(environment)
    .filter((name) => environment[name] && !names.has(name.toUpperCase()))
    .flatMap((name) => {
      const meant = nearestSetting(name, known)
      return meant === undefined && !name.startsWith(prefix) ? [] : [{ name, meant }]
    })
}

/** The text for the log and for `kontor doctor`. */
export const explainMisspelled = ({ name, meant }: Misspelled): string =>
  `Kontor has no setting ${name}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`

function nearestSetting(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((setting) => ({ setting, cost: editDistance(name, setting) }))
    .toSorted((a, b) => a.cost - b.cost)[0]
  return ranked !== undefined && ranked.cost <= (name.length < longNameCharacters ? 1 : 2) ? ranked.setting : undefined
}
