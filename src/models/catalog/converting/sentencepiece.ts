import { MalformedMessage, readFields } from '../../../platform/onnx/protobuf.ts';

export interface SentencePiece {
  /** In the order of their ids. */
  pieces: { text: string; score: number }[];
  /** Rules for normalising characters, compiled by SentencePiece. */
  characters: Buffer;
}

/** Field numbers of SentencePiece's messages (sentencepiece_model.proto). */
const inModel = { piece: 1, trainer: 2, normalizer: 3 };
const inPiece = { text: 1, score: 2 };
const inTrainer = { modelType: 3 };
const inNormalizer = { characters: 2 };
const unigram = 1;

const maxPieces = 1_000_000;

export function readSentencePiece(model: Buffer): SentencePiece {
  const found: SentencePiece = { pieces: [], characters: Buffer.alloc(0) };
  for (const { number, content } of readFields(model)) {
    if (number === inModel.piece) found.pieces.push(readPiece(content));
    if (number === inModel.trainer) requireUnigram(content);
    if (number === inModel.normalizer)
      found.characters =
        [...readFields(content)].find((field) => field.number === inNormalizer.characters)?.content ??
        found.characters;
    if (found.pieces.length > maxPieces) throw new MalformedMessage('the vocabulary is too large');
  }
  if (found.pieces.length < 4) throw new MalformedMessage('the vocabulary is empty');
  return found;
}

function readPiece(content: Buffer): SentencePiece['pieces'][number] {
  const piece = { text: '', score: 0 };
  for (const field of readFields(content)) {
    if (field.number === inPiece.text) piece.text = field.content.toString();
    if (field.number === inPiece.score && field.content.length === 4)
      piece.score = field.content.readFloatLE();
  }
  return piece;
}

function requireUnigram(trainer: Buffer): void {
  const type =
    [...readFields(trainer)].find(({ number }) => number === inTrainer.modelType)?.value ?? unigram;
  if (type !== unigram) throw new MalformedMessage('the vocabulary is not of the kind Unigram');
}
