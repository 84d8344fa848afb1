import sharp from 'sharp';

// Pages are read by several processes, each with one core to itself.
sharp.concurrency(1);
sharp.cache(false);

export const image = sharp;
