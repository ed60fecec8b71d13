"""Recurrent and Transformer layers with states and caches."""

import oarlock as paddle
from oarlock import nn


class Cell(nn.RNNCellBase):
    """A cell that adds its input to its state."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        self.weight = self.create_parameter([size])

    @property
    def state_shape(self) -> tuple[int]:
        return (self.size,)

    def forward(
        self, inputs: paddle.Tensor, states: paddle.Tensor | None = None
    ) -> tuple[paddle.Tensor, paddle.Tensor]:
        state: paddle.Tensor = self.get_initial_states(inputs) if states is None else states
        new = state + inputs * self.weight
        return new, new


class Translator(nn.Layer):
    """An encoder and a decoder that generates one token after another."""

    positions: paddle.Tensor

    def __init__(self, words: int, width: int, max_length: int = 20) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.encoder = nn.LSTM(width, width, num_layers=2, direction="bidirect", dropout=0.1)
        self.projection = nn.Linear(2 * width, width, bias_attr=False)
        layer = nn.TransformerDecoderLayer(width, nhead=2, dim_feedforward=4 * width)
        self.decoder = nn.TransformerDecoder(layer, num_layers=2, norm=nn.LayerNorm(width))
        self.register_buffer("positions", paddle.arange(max_length), persistable=False)
        self.head = nn.Linear(
            width, words, weight_attr=paddle.ParamAttr(initializer=nn.initializer.Normal(0.0, 0.02))
        )

    def forward(self, source: paddle.Tensor, target: paddle.Tensor) -> paddle.Tensor:
        encoded, (hidden, cell) = self.encoder(self.embedding(source))
        memory = self.projection(encoded)
        mask = paddle.tril(paddle.ones([target.shape[1], target.shape[1]])).astype("bool")
        assert hidden.shape == cell.shape
        return self.head(self.decoder(self.embedding(target), memory, mask))

    @paddle.no_grad()
    def generate(self, source: paddle.Tensor, start: int, length: int) -> list[int]:
        memory = self.projection(self.encoder(self.embedding(source))[0])
        cache = self.decoder.gen_cache(memory)
        token, found = paddle.full([1, 1], start, "int64"), list[int]()
        for position in self.positions[:length]:
            out, cache = self.decoder(self.embedding(token), memory, cache=cache)
            token = self.head(out).argmax(-1)
            found.append(int(token.item()) + 0 * int(position))
        return found


def attention_cache(x: paddle.Tensor) -> list[int]:
    attention = nn.MultiHeadAttention(8, 2)
    growing = attention.gen_cache(x)
    fixed = attention.gen_cache(x, x, nn.MultiHeadAttention.StaticCache)
    return growing.k.shape + fixed.v.shape


tokens: list[int] = Translator(10, 8).generate(paddle.zeros([1, 3], "int64"), 0, 5)
outputs, last = nn.RNN(Cell(4))(paddle.ones([2, 3, 4]))
both = nn.BiRNN(nn.GRUCell(4, 4), nn.GRUCell(4, 4), time_major=True)
h, c = nn.LSTMCell(4, 5).forward(paddle.ones([2, 4]))[1]
