import { dialectUrl, objectSchemaInput, type ObjectSchemaDocument, type ObjectSchemaInput } from '@kontor/contract'
import { CommandFailed } from '../errors.ts'
import { parsedYaml, yamlOf } from './yaml-files.ts'

/** An object as its file describes it: its schema document, without what every document of a workspace says. */
export type ObjectFile = Omit<ObjectSchemaInput, '$schema' | '$id' | 'type' | 'xSvcNamespace' | 'title'> & {
  readonly title: string
}

/** The schema of an object as a file. */
export function writeObjectFile({
  $schema: _dialect,
  $id: _id,
  type: _type,
  xSvcNamespace: _namespace,
  ...object
}: ObjectSchemaDocument): string {
  return yamlOf(object)
}

/** Reads the file of an object; throws `CommandFailed` with the file, the place in it and what is wrong. */
export function readObjectFile(path: string, text: string): ObjectFile {
  const given = parsedYaml(path, text)
  const title = typeof given === 'object' && given !== null && 'title' in given ? given.title : undefined
  if (typeof title !== 'string')
    throw new CommandFailed(`${path}: "title" is missing: the slug of the object, such as person or c_project.`)
  const result = objectSchemaInput.safeParse({ ...Object(given), $id: title })
  if (!result.success) {
    const faults = result.error.issues.map(
      ({ path: at, message }) => `${path}: ${at.join('.') || 'the file'}: ${message}`,
    )
    throw new CommandFailed(faults.join('\n'))
  }
  const { $schema: _dialect, $id: _id, type: _type, xSvcNamespace: _namespace, ...object } = result.data
  return { ...object, title }
}

/** The document that a file makes of an object whose document has an id. */
export const documentOf = (file: ObjectFile, $id: string): ObjectSchemaInput => ({
  $schema: dialectUrl,
  $id,
  type: 'object',
  xSvcNamespace: 'objects',
  ...file,
})
