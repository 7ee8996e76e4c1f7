import { includeDepthMax } from '../../includes.ts'
import type { ObjectDescription } from '../../object-description.ts'

/** Names beyond this make a type that no reader uses and every compiler pays for. */
const pathsMax = 300

const stepsFrom = (object: ObjectDescription | undefined): readonly ObjectDescription['relationships'][number][] =>
  object?.relationships ?? []

type Path = { readonly path: string; readonly entity: string }

/**
 * The paths that an answer about an object can include, shortest first: as deep as there are few enough of them, and
 * the
 * relationships themselves in any case. `prefix` stands before each, and counts as its first step.
 */
export function includedPaths(
  object: ObjectDescription,
  objects: ReadonlyMap<string, ObjectDescription>,
  prefix?: string,
): string[] {
  let level: readonly Path[] =
    prefix === undefined
      ? stepsFrom(object).map(({ name, entity }) => ({ path: name, entity }))
      : [{ path: prefix, entity: object.name }]
  const found = [...level]
  for (let depth = 2; depth <= includeDepthMax; depth++) {
    level = level.flatMap(({ path, entity }) =>
      stepsFrom(objects.get(entity)).map((step) => ({ path: `${path}.${step.name}`, entity: step.entity })),
    )
    if (found.length + level.length > pathsMax) break
    found.push(...level)
  }
  return found.map(({ path }) => path)
}
